"""What can go wrong on the bus; each class's docstring is what its catcher does."""


class BusError(Exception):
    """Any fault of the bus. Nothing that was not acknowledged counts as sent."""


class LinkDownError(BusError):
    """The connection is not there, or not any more. Policy: connect again soon; the journal keeps what was not stored.

    Example: the broker was restarted.
    """


class AccessRefusedError(BusError):
    """The broker does not let us in, or our secrets cannot be read. Policy: try again slowly, with the files read anew.

    Example: the password was changed at the broker only.
    """


class TakenOverError(BusError):
    """Another client connected under our id. Policy: `client_id_conflict`, try again slowly, withhold the permit.

    Example: a controller was cloned, and both disks run.
    """


class ProtocolViolationError(BusError):
    """The broker sent what no MQTT broker may send. Policy: try again slowly; raised by a consumer's link alone.

    Slowly, since the library leaves such a connection to its keepalive: it must have ended before the next one begins.

    Example: a message whose topic is not UTF-8.
    """


class PublishRefusedError(BusError):
    """The broker refused a message or a subscription. Policy: `acl_denied` in the status; the link stays up.

    Example: the broker's ACL has no write line for this table.
    """


class OverloadedError(BusError):
    """Too many messages wait for their acknowledgement. Policy: wait for some; the journal is the queue.

    Example: a caller ignores its window.
    """
