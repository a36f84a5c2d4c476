"""Keypad entry of an act: digits and a key, as the device sends it."""

from string import ascii_letters

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpDealer
from pitwarden_client.events.device import KeypadEntry
from pitwarden_client.events.floor import FloorAct, Retract
from pitwarden_client.events.keypad import keys_for_act


def pressed(act: DealerAct | FloorAct) -> KeypadEntry:
    """Return the entry for `act`.

    A warning that the dealer has seen is SEEN; UNDO takes back the last input, whatever its number.

    Raises:
        LookupError: The keypad has none.
    """
    if isinstance(act, Retract):
        return KeypadEntry(key="undo")
    if isinstance(act, FloorAct):
        return KeypadEntry(key="seen")
    if isinstance(act, KpDealer):
        act = KpDealer(dealer=act.dealer.strip(ascii_letters))  # a keypad has digits only
    entry = keys_for_act(act)
    if entry is None:
        raise LookupError(f"the keypad has no key for {act.act}: key it on a terminal")
    key, digits = entry
    return KeypadEntry(key=key, digits=digits)
