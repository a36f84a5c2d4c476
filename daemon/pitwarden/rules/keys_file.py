"""Reads the `[keys]` of a profile: what people may key at this game beside what is keyed at all games."""

from typing import Final, get_args

from pitwarden_client.events.dealer_play import KpDecision
from pitwarden_client.events.dealer_wagers import WagerKind, Window

from pitwarden.rules.profile import Keys, Pass
from pitwarden.rules.rows import Row

_DECISIONS: Final = get_args(KpDecision.model_fields["decision"].annotation)
_WINDOW_ENDS: Final = ("kp.open ", "kp.close ")

OF_SOME_GAMES: Final = frozenset({
    "kp.antes_collected", "kp.bonus_settled", "kp.burn_request", "kp.choice", "kp.dealer_draw",
    "kp.dealer_first_missed", "kp.dealer_reveal", "kp.dice", "kp.dice_settled", "kp.dice_wager", "kp.hands",
    "kp.hole_up", "kp.ib_settled", "kp.insurance_settled", "kp.no_cards", "kp.one_card", "kp.option",
    "kp.refuse", "kp.reveal", "kp.skipped", "kp.spread_request", "kp.stub", "kp.ten", "ft.notified",
    "ft.reader_visible", "ft.ten_confirmed", "ft.ten_destroyed", "ft.ten_refuted",
})  # fmt: skip
"""Acts that a game has only when its profile lists them; all others are common to all games."""


def keys_of(row: Row, passes: tuple[Pass, ...]) -> Keys:
    """The keys of a game; ProfileError for one that no terminal knows, or a window that a pass needs and none opens."""
    item = Row(row.file, f"{row.place}keys.", row.table("keys"))
    made = Keys(
        windows=_known(item, "windows", get_args(Window)),
        decisions=_known(item, "decisions", _DECISIONS),
        wagers=_known(item, "wagers", get_args(WagerKind)),
        acts=_known(item, "acts", tuple(sorted(OF_SOME_GAMES))),
    )
    item.refuse_rest()
    ends = (end for one in passes for end in one.ends)
    for end in ends:
        window = next((end.removeprefix(start) for start in _WINDOW_ENDS if end.startswith(start)), None)
        if window is not None and window not in made.windows:
            raise item.wrong("windows", f"a pass ends with {end!r}, and the game has no such window")
        if end in OF_SOME_GAMES and end not in made.acts:
            raise item.wrong("acts", f"a pass ends with {end!r}, and the game has no such key")
    return made


def _known(row: Row, name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    words = row.words(name)
    for word in words:
        if word not in known:
            raise row.wrong(name, f"{word!r} is none of {', '.join(known)}")
    return words
