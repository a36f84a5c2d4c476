"""Reading a profile file strictly: a missing, wrong or unknown row is refused with file, row and reason."""

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TypeVar

T = TypeVar("T", bound=str)


class ProfileError(ValueError):
    """A profile that is not what it should be. Policy: stop at start-up and name file, row, reason.

    Example: `three-card-blitz.toml: rules.stub.cites: a list of words is missing`.
    """


class TomlRow:
    """A table of the file at `place`; what was read is remembered, so that `refuse_rest` finds what nobody knows."""

    def __init__(self, file: str, place: str, data: Mapping[str, object]) -> None:
        self.file = file
        self.place = place
        self.data = data
        self._read: set[str] = set()

    def wrong(self, name: str, reason: str) -> ProfileError:
        """Return the error that names `name` in this row."""
        return ProfileError(f"{self.file}: {self.place}{name}: {reason}")

    def text(self, name: str) -> str:
        """Return a word or sentence."""
        value = self._get(name)
        if not isinstance(value, str):
            raise self.wrong(name, "a text is missing here")
        return value

    def one_of(self, name: str, known: Sequence[T]) -> T:
        """Return one of the words in `known`."""
        value = self.text(name)
        for word in known:
            if word == value:
                return word
        raise self.wrong(name, f"{value!r} is none of {', '.join(known)}")

    def number(self, name: str) -> int:
        """Return a whole number."""
        value = self._get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(name, "a whole number is missing here")
        return value

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false is missing here")
        return value

    def day(self, name: str) -> date:
        """Return a date."""
        value = self._get(name)
        if not isinstance(value, date) or isinstance(value, datetime):
            raise self.wrong(name, "a date is missing here (2026-01-05)")
        return value

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of words."""
        value = self._get(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(name, "a list of words is missing here")
        return tuple(value)

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers."""
        value = self._get(name)
        if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
            raise self.wrong(name, "a list of whole numbers is missing here")
        return tuple(value)

    def rows(self, name: str) -> tuple["TomlRow", ...]:
        """Return a list of tables."""
        value = self._get(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(name, "a list of tables is missing here")
        return tuple(TomlRow(self.file, f"{self.place}{name}[{at}].", item) for at, item in enumerate(value))

    def table(self, name: str) -> Mapping[str, object]:
        """Return a table of rows."""
        value = self._get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "a table is missing here")
        return value

    def tables(self, name: str) -> dict[str, "TomlRow"]:
        """Return named tables; none when there is no such row."""
        value = self._get(name)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(item, dict) for item in value.values()):
            raise self.wrong(name, "named tables are missing here")
        return {key: TomlRow(self.file, f"{self.place}{name}.{key}.", item) for key, item in value.items()}

    def refuse_rest(self) -> None:
        """Raise ProfileError when the table has a row that was not read."""
        for name in sorted(self.data):
            if name not in self._read:
                raise self.wrong(name, "no such row is known here")

    def _get(self, name: str) -> object:
        self._read.add(name)
        return self.data.get(name)


def parse_toml(file: str, text: str) -> TomlRow:
    """Return the file `text` as one table.

    Raises:
        ProfileError: It is not TOML; the error has file and place.
    """
    try:
        return TomlRow(file, "", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{file}: {error}") from None


def parse_tables(file: str, text: str, kind: str) -> dict[str, TomlRow]:
    """Return the tables of a file that holds tables of one `kind` and nothing else, by name.

    Raises:
        ProfileError: It is not TOML, or holds something else.
    """
    return TomlRow(file, "", {kind: parse_toml(file, text).data}).tables(kind)
