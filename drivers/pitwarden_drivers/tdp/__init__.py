"""TDP 1, the reference table device protocol. SPEC.md in this folder is the specification."""

from pitwarden_drivers.api import Driver, ExpectedDevice, Session
from pitwarden_drivers.tdp.session import TdpSession


class TdpDriver:
    """Driver of TDP devices."""

    @property
    def name(self) -> str:
        """Name of the driver in the table file: `tdp`."""
        return "tdp"

    def session(self, expected: ExpectedDevice) -> Session:
        """Return a new dialogue for a port that is about to open."""
        return TdpSession(expected)


DRIVER: Driver = TdpDriver()
