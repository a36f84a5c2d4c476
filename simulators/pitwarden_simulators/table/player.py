"""Runs a table's script, one action after the other; how each is done is the subclass's."""

from typing import assert_never

from pitwarden_client.events.outputs import TableState
from pitwarden_simulators.table.actions import (
    Action,
    Cable,
    Desk,
    DeviceName,
    Green,
    Heard,
    KeyPress,
    Script,
    Seen,
    Wait,
)


class ScriptPlayer:
    """The people of one table, as a script moves them."""

    async def play(self, script: Script[None]) -> None:
        """Runs a script to its end, and until the judge has seen it."""
        try:
            action = next(script)
            while True:
                await self._perform(action)
                action = script.send(self._desk())
        except StopIteration:
            await self._seen()

    def _desk(self) -> Desk:
        """What the table's display shows."""
        state = self._state()
        if state is None:
            return Desk(granted=False)
        return Desk(state.permit.granted, state.permit.reasons, state.irregularities)

    async def _perform(self, action: Action) -> None:
        match action:
            case KeyPress():
                await self._key(action)
            case Heard():
                await self._heard(action.device)
            case Wait():
                await self._wait(action)
            case Seen():
                await self._seen()
            case Green():
                await self._green()
            case Cable():
                self._cable(action)
            case _:
                assert_never(action)

    def _state(self) -> TableState | None:
        raise NotImplementedError

    async def _key(self, key: KeyPress) -> None:
        raise NotImplementedError

    async def _heard(self, name: DeviceName) -> None:
        raise NotImplementedError

    async def _wait(self, wait: Wait) -> None:
        raise NotImplementedError

    async def _seen(self) -> None:
        raise NotImplementedError

    async def _green(self) -> None:
        raise NotImplementedError

    def _cable(self, action: Cable) -> None:
        raise NotImplementedError
