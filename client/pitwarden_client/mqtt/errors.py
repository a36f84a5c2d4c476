"""Errors of the MQTT link, each with its handling policy."""


class BusError(Exception):
    """Base class of errors of the bus. A message that was not acknowledged does not count as sent."""


class LinkDownError(BusError):
    """There is no connection, or it ended.

    Policy: connect again soon; the journal retains what was not stored.

    Example: the broker was restarted.
    """


class AccessRefusedError(BusError):
    """The broker refuses the login, or the files with our secrets cannot be read.

    Policy: retry slowly, and read the files again each time.

    Example: the password was changed at the broker only.
    """


class TakenOverError(BusError):
    """Another client connected under our id.

    Policy: report `client_id_conflict`, retry slowly, withhold the permit.

    Example: a controller was cloned, and both disks run.
    """


class ProtocolViolationError(BusError):
    """The broker sent what no MQTT broker may send. Only a consumer's link raises it.

    Policy: retry slowly. The library leaves such a connection to its keepalive, and it must have ended before the next
    one begins.

    Example: a message whose topic is not UTF-8.
    """


class PublishRefusedError(BusError):
    """The broker refused a message or a subscription.

    Policy: `acl_denied` in the status; the link stays up.

    Example: the broker's ACL has no write line for this table.
    """


class MessageTooLargeError(PublishRefusedError):
    """The broker takes no message of this length (Maximum Packet Size); it was not sent.

    Policy: `message_too_large` in the status; the link stays up, and the message is tried again slowly.

    Example: mosquitto with `max_packet_size 1200`, and the row of a stack.
    """


class SubscriptionFailedError(PublishRefusedError):
    """The broker did not accept a subscription and named no reason (0x80, the only code that MQTT 3.1.1 has).

    Policy: retry as after a lost connection; the third in a row at one address counts as refused.

    Example: a cluster elects the leader of its store while we subscribe.
    """


class OverloadedError(BusError):
    """Too many messages wait for their acknowledgement.

    Policy: wait for some of them; the journal is the queue.

    Example: a caller ignores its window.
    """
