"""Reasons why a file cannot be used, in the words of a person: without error numbers and without its path."""


def file_reason(error: Exception) -> str:
    """Return why a file cannot be read or understood, to follow the file's name in a message."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    if isinstance(error, KeyError):
        return f"{error} is missing in it"
    return str(error)
