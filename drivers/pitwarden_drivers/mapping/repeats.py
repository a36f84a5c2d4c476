"""Messages that a device sends again because an acknowledgement was lost.

A message that came twice must not count twice. Where its number, or the time since its acknowledgement, leaves that
open, it is reported as doubtful and people count the cards.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import re2

from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.mapping.link_rules import AckRule

Verdict = Literal["new", "repeated", "doubtful"]


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """A message without its number, and whether it is new.

    `position` is its number counted on beyond the modulus, 0 for a message without a number. `missed` are the positions
    (first, last) before it that never arrived.
    """

    verdict: Verdict
    body: str = field(repr=False)
    position: int = 0
    missed: tuple[int, int] | None = None


class RepeatFilter:
    """Filter of one dialogue.

    Numbers continue from the last event that the log has of the device. Without numbers, a device that is polled shows
    that an acknowledgement arrived when it has no message; for any other, time must decide. What comes before that in
    a new dialogue may be the message whose acknowledgement the dialogue before could no longer send.
    """

    def __init__(self, rule: AckRule, known: ExpectedDevice, *, polled: bool) -> None:
        self._number = None if rule.number is None else re2.compile(rule.number)
        self._modulus = rule.modulus or 1
        self._within = math.inf if polled else rule.repeats_within_ms or 0
        self._spoke_before = known.last_boot > 0
        self._is_identified = False
        self._position = known.last_counter
        self._first = True
        self._body: str | None = None
        self._settled_at: int | None = None
        self._identified_at = 0
        self._earlier: tuple[int, bool, str | None, int | None] = (self._position, True, None, None)

    def judge(self, now: int, text: str) -> JudgedMessage:
        """Return what `text` is; a new message becomes the one that the next is compared with."""
        earlier = (self._position, self._first, self._body, self._settled_at)
        found = None if self._number is None else self._number.fullmatch(text)
        judged = self._by_time(now, text) if found is None else self._by_number(found["body"], found["number"])
        if judged.verdict != "repeated":
            self._earlier = earlier
            self._body, self._settled_at = text, None
        return judged

    def forget(self) -> None:
        """Take back the last message, which was not acknowledged and must be new when it comes again."""
        self._position, self._first, self._body, self._settled_at = self._earlier

    def identified(self, now: int) -> None:
        """Note that the device has proved to be the configured one, so that its events count from now on."""
        self._is_identified, self._identified_at = True, now

    def has_no_message(self) -> None:
        """Note that a polled device has no message, so the last acknowledgement arrived."""
        self._body = None
        self._spoke_before &= not self._is_identified

    def settled(self, now: int) -> None:
        """Note that the last message was acknowledged."""
        self._settled_at = now

    def _by_number(self, body: str, number: str) -> JudgedMessage:
        step = (int(number) - self._position) % self._modulus
        first, self._first = self._first, False
        if first:
            # Messages that are no events have numbers too and are not in the log, so a jump shows no loss here.
            doubtful = step == 0 and self._spoke_before
            self._position += step or self._modulus
            return JudgedMessage("doubtful" if doubtful else "new", body, self._position)
        if step == 0:
            return JudgedMessage("repeated", body, self._position)
        missed = (self._position + 1, self._position + step - 1) if step > 1 else None
        self._position += step
        return JudgedMessage("new", body, self._position, missed)

    def _by_time(self, now: int, text: str) -> JudgedMessage:
        if text == self._body and self._settled_at is None:  # not acknowledged yet: the device can only repeat it
            return JudgedMessage("repeated", text)
        again = text == self._body and self._settled_at is not None and now - self._settled_at <= self._within
        pending = self._number is None and self._spoke_before and now - self._identified_at <= self._within
        return JudgedMessage("doubtful" if again or pending else "new", text)
