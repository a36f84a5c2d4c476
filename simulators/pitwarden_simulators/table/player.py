"""Player of a table's script, one action after the other; subclasses define how each is done."""

from typing import assert_never

from pitwarden_client.events.outputs import TableState
from pitwarden_simulators.table.actions import (
    Action,
    AwaitJudged,
    AwaitPermit,
    AwaitStored,
    Cable,
    DeviceName,
    KeyPress,
    Script,
    TableDisplay,
    Wait,
)


class ScriptPlayer:
    """People of one table, as a script moves them."""

    async def play(self, script: Script[None]) -> None:
        """Run a script to its end, and until the judge has evaluated it."""
        try:
            action = next(script)
            while True:
                await self._perform(action)
                action = script.send(self._desk())
        except StopIteration:
            await self._seen()

    def _desk(self) -> TableDisplay:
        """Return what the table displays."""
        state = self._state()
        if state is None:
            return TableDisplay(granted=False)
        return TableDisplay(state.permit.granted, state.permit.reasons, state.irregularities)

    async def _perform(self, action: Action) -> None:
        match action:
            case KeyPress():
                await self._key(action)
            case AwaitStored():
                await self._await_stored(action.device)
            case Wait():
                await self._wait(action)
            case AwaitJudged():
                await self._seen()
            case AwaitPermit():
                await self._green()
            case Cable():
                self._cable(action)
            case _:
                assert_never(action)

    def _state(self) -> TableState | None:
        raise NotImplementedError

    async def _key(self, key: KeyPress) -> None:
        raise NotImplementedError

    async def _await_stored(self, name: DeviceName) -> None:
        raise NotImplementedError

    async def _wait(self, wait: Wait) -> None:
        raise NotImplementedError

    async def _seen(self) -> None:
        raise NotImplementedError

    async def _green(self) -> None:
        raise NotImplementedError

    def _cable(self, action: Cable) -> None:
        raise NotImplementedError
