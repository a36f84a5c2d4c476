"""What a person typed into the line of the screen, as words."""


def words_of(typed: str) -> list[str]:
    """Words apart by spaces, those in double quotes whole."""
    parts = typed.split('"')
    apart = [""]
    for place, part in enumerate(parts):
        if place % 2:
            apart[-1] += part
            continue
        first, *more = part.split(" ")
        apart[-1] += first
        apart += more
    return [word for word in apart if word] or [""]
