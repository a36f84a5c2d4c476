"""A simulated night whose stray 10 is left to a person at the console."""

from pitwarden_simulators.table.actions import KeyPress, Script, Wait


def without_the_floor(script: Script[None]) -> Script[None]:
    """Yield the night's actions, but leave a stray 10 to a person at the console."""
    action = next(script)
    while True:
        try:
            if isinstance(action, KeyPress) and action.act.act == "ft.ten_confirmed":
                display = yield Wait(0)
            elif isinstance(action, KeyPress) and action.act.act == "ft.ten_destroyed":
                display = yield Wait(100, whole=True)
                while any(case.catalogue == "TAB-37" for case in display.open):
                    display = yield Wait(100, whole=True)
            else:
                display = yield action
            action = script.send(display)
        except StopIteration:
            return
