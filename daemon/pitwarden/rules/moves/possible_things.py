"""Decks and devices that inputs name: there at this table, and able to be where the input says."""

from collections.abc import Iterator
from typing import Final

from pitwarden_client.events.dealer_cards import KpManualShuffle
from pitwarden_client.events.floor import (
    FtCardRemoved,
    FtDeckReturned,
    FtDeckVerified,
    FtDeviceInstalled,
    FtDeviceRemoved,
    FtOpening,
    FtProcedureApproved,
)
from pitwarden_client.events.inputs import Act

from pitwarden.rules.state.state import State

_FACTORY: Final = 52  # cards of a deck before its 10s are taken out


def reasons(state: State, act: Act) -> Iterator[tuple[str, str]]:
    """Why the deck or device that `act` names cannot be meant."""
    match act:
        case FtOpening() | FtDeckVerified() | FtDeckReturned():
            yield from _deck(state, act.deck)
        case KpManualShuffle() if act.deck is not None:
            yield from _deck(state, act.deck)
        case FtCardRemoved():
            yield from _deck(state, act.deck)
            yield from _removed(state, act)
        case FtProcedureApproved():
            yield from _device(state, act.device)
        case FtDeviceRemoved() | FtDeviceInstalled():
            yield from _device(state, act.device)
            device = state.device(act.device)
            installed = isinstance(act, FtDeviceInstalled)
            if device is not None and device.on_table is installed:
                yield f"{act.device} is {'at' if installed else 'not at'} the table.", ""
        case _:
            return


def _deck(state: State, ident: str) -> Iterator[tuple[str, str]]:
    known = {deck.ident for deck in state.decks} | {deck.ident for deck in state.setup.decks}
    if ident not in known:
        yield f"There is no deck {ident} at this table: {', '.join(sorted(known)) or 'none'}.", ""


def _device(state: State, ident: str) -> Iterator[tuple[str, str]]:
    if state.device(ident) is None:
        known = ", ".join(device.ident for device in state.devices)
        yield f"No device called {ident} is configured at this table: {known}.", ""


def _removed(state: State, act: FtCardRemoved) -> Iterator[tuple[str, str]]:
    book = state.book(act.deck)
    most = _FACTORY * state.setup.profile.copies if book.own is None else book.own + book.foreign
    if act.count == 0:
        yield "No card was taken out: key how many were.", ""
    elif act.count > most:
        yield f"Deck {act.deck} has {most} cards at most: {act.count} cannot have been taken out.", ""
