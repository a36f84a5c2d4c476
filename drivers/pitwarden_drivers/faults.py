"""Former import path of `pitwarden_drivers.errors`. Each name warns when it is used and is removed with 0.4.0."""

import warnings
from typing import Final

from pitwarden_drivers import errors

FORMER_NAMES: Final = {
    "DeviceFault": "DeviceError",
    "PortUnavailable": "PortUnavailableError",
    "PortBusy": "PortBusyError",
    "PortUnsuitable": "PortUnsuitableError",
    "LinkLost": "LinkLostError",
    "IdentityMismatch": "IdentityMismatchError",
    "DeviceSilent": "DeviceSilentError",
    "NotAccepting": "DeviceNotAcceptingError",
}


def __getattr__(name: str) -> object:
    """Return the error that had this name here, PEP 562."""
    if name not in FORMER_NAMES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    present = FORMER_NAMES[name]
    warnings.warn(f"{__name__}.{name} is now pitwarden_drivers.errors.{present}", DeprecationWarning, stacklevel=2)
    found: object = getattr(errors, present)
    return found
