"""Device errors. Each class is a policy: its docstring states what the device supervisor does."""


class DeviceError(Exception):
    """Base of all faults of a device or its port. Never raised itself."""


class PortUnavailableError(DeviceError):
    """Policy: retry with back-off; health lost. Example: the by-id link does not exist yet, or is not readable yet."""


class PortBusyError(DeviceError):
    """Policy: retry with back-off; health lost, the holder named. Example: a terminal program has the port open."""


class PortUnsuitableError(DeviceError):
    """Policy: retry at the longest interval. Example: the adapter rejected a line setting; the message names it."""


class LinkLostError(DeviceError):
    """Policy: close once, reopen by the stable path with back-off. Example: the cable was pulled: read gave EOF."""


class LineChangedError(DeviceError):
    """Policy: close once, reopen with all settings. Example: `stty sane` on the port while the service reads it."""


class IdentityMismatchError(DeviceError):
    """Policy: trust nothing, retry at the longest interval. Example: serial N77 answers where N42 is configured."""


class DeviceSilentError(DeviceError):
    """Policy: reopen with back-off. Example: no identity reply, or no heartbeat, within the time allowed."""


class DeviceNotAcceptingError(DeviceError):
    """Policy: drop what was queued, reopen with back-off. Example: the device stopped reading for two seconds."""
