"""Line settings of a tty, every flag set and read back (B03): nothing of a previous user is left."""

import termios
from typing import Final

from pitwarden_drivers.faults import PortUnsuitable

_WATCHED: Final = {
    0: ("BRKINT", "ICRNL", "IGNBRK", "IGNCR", "IGNPAR", "INLCR", "INPCK", "ISTRIP", "IXANY", "IXOFF", "IXON", "PARMRK"),
    1: ("OPOST", "ONLCR", "OCRNL", "ONOCR", "ONLRET"),
    2: ("CLOCAL", "CREAD", "CRTSCTS", "CSTOPB", "HUPCL", "PARENB", "PARODD", "CSIZE"),
    3: ("ECHO", "ECHOE", "ECHOK", "ECHONL", "ICANON", "IEXTEN", "ISIG", "NOFLSH", "TOSTOP"),
}
_WANTED: Final = {
    0: termios.IGNBRK | termios.IGNPAR,
    1: 0,
    2: termios.CLOCAL | termios.CREAD | termios.CS8,  # HUPCL off: closing does not drop DTR and reboot the device (B02)
    3: 0,
}


def make_raw(fd: int, place: str) -> None:
    """Sets 8N1, no flow control, no translation, no echo; PortUnsuitable names the flags that did not take."""
    flags = termios.tcgetattr(fd)
    for index, names in _WATCHED.items():
        mask = 0
        for name in names:
            mask |= getattr(termios, name)
        flags[index] = (flags[index] & ~mask) | _WANTED[index]
    flags[6][termios.VMIN] = 1  # with 0, a read of an idle line is empty, as it is of a line that hung up
    flags[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, flags)
    different = differences(flags, termios.tcgetattr(fd))
    if different:
        raise PortUnsuitable(
            f"{place}: the line did not take {', '.join(different)}: use another adapter, "
            "or the speed and settings that it supports"
        )


def differences(wanted: list[int | list[bytes | int]], found: list[int | list[bytes | int]]) -> tuple[str, ...]:
    """The names of the settings in which two results of tcgetattr differ."""
    names = []
    for index, watched in _WATCHED.items():
        for name in watched:
            flag = getattr(termios, name)
            if _bits(wanted[index]) & flag != _bits(found[index]) & flag:
                names.append(name)
    names += [name for index, name in ((4, "ISPEED"), (5, "OSPEED")) if wanted[index] != found[index]]
    return tuple(names)


def _bits(value: int | list[bytes | int]) -> int:
    return value if isinstance(value, int) else 0
