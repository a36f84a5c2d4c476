"""Cards are conserved whatever goes wrong, and the log holds each drawn card once, whatever happens to a line."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_client.events.card_faces import is_ten
from pitwarden_client.events.device import CommandName, DeviceCommand
from pitwarden_drivers.api import ExpectedDevice, PlainCard
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.cards import CB_CARDS, TAB_CARDS, Card, Mint, is_blackjack, total
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.shoe import SimulatedShoe
from pitwarden_simulators.devices.shuffler import Shuffler
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import TABLES, SimulatedTableSetup
from pitwarden_simulators.table.shuffling import SeededOrder
from testkit.nights.in_memory_night import play

FAULTS = load_faults()
hands = st.lists(st.integers(0, 51), min_size=1, max_size=8).map(lambda faces: [Card(0, f, "A") for f in faces])


def test_packs_are_what_the_texts_say() -> None:
    pack, deck = Mint().tab_pack("A"), Mint().cb_deck("B")
    assert (len(pack), len(deck)) == (TAB_CARDS, CB_CARDS) == (384, 52)
    assert not any(is_ten(card.face) for card in pack)
    assert {sum(card.face == face for card in pack) for face in range(52) if not is_ten(face)} == {8}
    assert sorted(card.face for card in deck) == list(range(52))


@settings(deadline=None)
@given(hands)
def test_a_total_is_the_best_that_an_ace_allows(cards: list[Card]) -> None:
    points = total(cards)
    low = sum(1 if card.rank == "A" else 10 if card.rank in {"10", "J", "Q", "K"} else int(card.rank) for card in cards)
    assert points.points in {low, low + 10}
    assert points.soft == (points.points == low + 10)
    assert points.soft or "A" not in [card.rank for card in cards] or low + 10 > 21
    assert is_blackjack(cards) == (len(cards) == 2 and points.points == 21)


@settings(max_examples=20, deadline=None)
@given(
    setup=st.sampled_from(sorted(TABLES.values(), key=lambda setup: setup.table)),
    seed=st.text("0123456789", min_size=1, max_size=5),
    names=st.sets(st.sampled_from(sorted({fault.name for fault in FAULTS if fault.name != "short_shoe"}))),
)
def test_no_card_is_lost_or_doubled_whatever_goes_wrong(setup: SimulatedTableSetup, seed: str, names: set[str]) -> None:
    faults = [fault for fault in FAULTS if fault.table == setup.table and fault.name in names]
    played = play(setup, seed, 6, faults)
    assert not played.table.astray()
    assert sorted(played.table.committed) == sorted(fault.name for fault in faults)


class Host:
    """A host that opens the line now and then, stores what it hears, and remembers where it left off."""

    def __init__(self, device: TdpDevice) -> None:
        self.device = device
        self.heard: list[int] = []
        self.last = (0, 0)

    def talk(self, now: int) -> None:
        session = DRIVER.session(ExpectedDevice("shoe", "N1", last_boot=self.last[0], last_counter=self.last[1]))
        turns = [session.begin(now)]
        while turns:
            turn = turns.pop(0)
            for report in turn.reports:
                if isinstance(report.said, PlainCard):
                    self.heard.append(report.said.face.value)
                if report.counter:
                    self.last = (report.boot, report.counter)
                    turns.append(session.committed(now, *self.last))
            back = self.device.receive(now, turn.send) if turn.send else b""
            if back:
                turns.append(session.receive(now, back))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["draw", "talk", "unheard", "reboot"]), max_size=40))
def test_every_drawn_card_reaches_a_host_that_knows_the_device_once_and_in_order(steps: list[str]) -> None:
    memory = Memory(1)
    shoe, device = SimulatedShoe(memory), TdpDevice("shoe", "N1", memory)
    host = Host(device)
    shoe.load("A", SeededOrder("1")("A", Mint().cb_deck("A")))
    drawn: list[int] = []
    for now, step in enumerate(["talk", *steps, "talk"]):
        match step:
            case "draw":
                drawn += [taken.card.face for taken in shoe.draw()]
            case "talk":
                host.talk(now * 5_000)
            case "reboot":
                device.reboot()
            case _:
                device.tick(now * 5_000)  # what is sent on a line that nobody hears is lost with it
    assert host.heard == drawn
    assert not memory.kept


@settings(deadline=None)
@given(st.lists(st.booleans(), max_size=8), st.integers(0, 6))
def test_the_order_of_a_shuffle_does_not_depend_on_what_lay_where_before(flips: list[bool], turn: int) -> None:
    pack = Mint().cb_deck("A")
    other = pack[turn:] + pack[:turn]
    for flip in flips:
        other = other[::-1] if flip else other[1:] + other[:1]
    assert SeededOrder("7")("A", pack) == SeededOrder("7")("A", other)


@given(st.integers(0, 2**33), st.integers(1, 5_000), st.sampled_from(["lock", "unlock", "report_count"]))
def test_a_command_that_lay_too_long_in_a_buffer_is_not_done(start: int, lay_ms: int, command: CommandName) -> None:
    """What the real dialogue sends, the simulated device does within the two seconds and not after (SPEC.md 8)."""
    device = TdpDevice("shoe", "N1", Memory(1), count=lambda: (36, 16))
    device.locked = command == "unlock"
    session = DRIVER.session(ExpectedDevice("shoe", "N1"))
    answer = device.receive(start, session.begin(start).send)
    resumed = session.receive(start, answer)
    session.receive(start, device.receive(start, resumed.send))
    sent = session.command(start, "r1", command).send
    said = session.receive(start + lay_ms, device.receive(start + lay_ms, sent)).reports
    done = lay_ms <= 2_000
    assert [(r.said.outcome, r.boot) for r in said if isinstance(r.said, DeviceCommand)] == [
        ("done" if done else "timeout", 1)
    ]
    assert device.locked == ((command == "lock") == done if command != "report_count" else False)


def test_a_jammed_shuffler_keeps_its_cards_and_says_how_many() -> None:
    memory = Memory(1)
    shuffler = Shuffler(memory, SeededOrder("1"), counts=True)
    cards = Mint().cb_deck("A")
    shuffler.start("A", cards)
    shuffler.jam_next = True
    assert not shuffler.finish()
    assert shuffler.cards == cards
    assert [kept.counter for kept in memory.kept] == [1, 2]
    memory.reboot()
    assert [(kept.boot, kept.counter) for kept in memory.kept] == [(1, 1), (1, 2), (2, 1)]  # the fault is said again
    shuffler.restart()
    memory.reboot()
    assert memory.newest == 0
    assert shuffler.finish()
    assert shuffler.display == 52
