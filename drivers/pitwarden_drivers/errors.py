"""What can go wrong with a device. Each class is a policy: its docstring says what the one supervisor does."""


class DeviceFault(Exception):  # noqa: N818  these are device faults, the field's own word
    """Root of all faults of a device or its port. Never raised itself."""


class PortUnavailable(DeviceFault):
    """Policy: retry with back-off; health lost. Example: the by-id link does not exist yet, or is not readable yet."""


class PortBusy(DeviceFault):
    """Policy: retry with back-off; health lost, the holder named. Example: a terminal program has the port open."""


class PortUnsuitable(DeviceFault):
    """Policy: retry at the longest interval. Example: the adapter did not take a line setting; its name is said."""


class LinkLost(DeviceFault):
    """Policy: close once, reopen by the stable path with back-off. Example: the cable was pulled: read gave EOF."""


class IdentityMismatch(DeviceFault):
    """Policy: believe nothing, retry at the longest interval. Example: serial N77 answers where N42 is configured."""


class DeviceSilent(DeviceFault):
    """Policy: reopen with back-off. Example: no identity reply, or no heartbeat, within the time allowed."""


class NotAccepting(DeviceFault):
    """Policy: drop what was queued, reopen with back-off. Example: the device stopped reading for two seconds."""
