"""TDP 1, our reference table device protocol. SPEC.md in this folder is the specification."""

from pitwarden_drivers.api import Driver, ExpectedDevice, Session
from pitwarden_drivers.tdp.session import TdpSession


class TdpDriver:
    """Makes TDP dialogues; see `pitwarden_drivers.api.Driver`."""

    @property
    def name(self) -> str:
        """`tdp`, as in the table file."""
        return "tdp"

    def session(self, expected: ExpectedDevice) -> Session:
        """A new dialogue for a port that is about to open."""
        return TdpSession(expected)


DRIVER: Driver = TdpDriver()
