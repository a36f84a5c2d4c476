"""Queries about inputs that can still be retracted: the row that a refusal names where an earlier key is wrong."""

from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.inputs import InputLogged


def key_of(state: RulesState, act: str, box: int) -> int | None:
    """Return the row of the latest accepted key `act` for `box` if it can be retracted, else None."""
    number = dict(state.round.play.keys).get(f"{act} {box}")
    rows = (row for row in state.undo_rows if row.number == number and row.epoch == state.epoch)
    row = next(rows, None)
    return None if row is None or not isinstance(row.data, InputLogged) or row.data.act.act != act else row.number
