"""All worlds of a log, row by row: which cards some world still hides."""

from collections.abc import Iterator

from pitwarden_tools.worlds.rows import About, Log, WorldRow
from pitwarden_tools.worlds.steps import Agenda, CardStep, KeyStep, Sensed, Stack
from pitwarden_tools.worlds.world import Going, World, served, silent, slipped

Stories = dict[World, str]


class Oracle:
    """The worlds that agree with the rows so far, each with the story of its slips.

    `bases` are those in which no step without a row was taken since the last row: a mistaken key is pressed there,
    before people have chosen how to continue.
    """

    def __init__(self, course: Agenda | None, slips: int) -> None:
        self.log, self.slips = Log(), slips
        self.bases: Stories = {}
        self.alive: Stories = {}
        self._settle({World(course, slips): ""})

    def advance(self, row: WorldRow) -> tuple[int, ...]:
        """Continue with `row`; return the numbers of the cards that it brings."""
        before = self.log.last
        cards = self.log.add(row)
        if row.kind == "floor":
            if row.name == "retract":
                self._taken_back(str(row.about))
            return cards
        made: Stories = {}
        for world, story in self.alive.items():
            for going in self._matched(world, row, cards):
                _put(made, going, story, self.log.rows)
        for world, story in self.bases.items():
            for going in self._mistaken(world, row, before, cards):
                _put(made, going, story, self.log.rows)
        self._settle(made)
        return cards

    def hidden(self) -> frozenset[int]:
        """Return the cards that some world hides."""
        return frozenset(card for world in self.alive for _, card in world.hidden)

    def proof(self, card: int) -> str:
        """Return the story of a world that hides `card`."""
        for world, story in self.alive.items():
            for place, number in world.hidden:
                if number == card:
                    return f"it may be {place}{story or ', in honest play'}"
        return ""

    def _matched(self, world: World, row: WorldRow, cards: tuple[int, ...]) -> Iterator[Going]:
        """Yield the worlds in which `row` is the next step of `world`, perhaps for a wrong box."""
        if world.agenda is None:
            return
        step, rest = world.agenda.step, world.agenda.rest
        match step:
            case CardStep() if row.kind == "card" and row.up is step.sensed:
                yield Going(_laid(world, rest, step.place, cards, up=step.up))
            case Stack() if row.kind == "stack":
                yield Going(_laid(world, rest, step.place, cards, up=False))
            case Sensed() if row.kind == "device" and row.name == step.name:
                yield Going(_laid(world, rest, "answer", cards, up=not step.hides))
            case KeyStep() if row.kind == "key" and row.name == step.name:
                if row.about == step.about:
                    yield Going(world._replace(agenda=rest))
                elif world.slips and not step.sure and _near(step.about, row.about):
                    owed = world.owed | {(step.name, step.about)}
                    why = f"{row.name} meant {step.about}, not {row.about}"
                    yield Going(world._replace(agenda=rest, slips=world.slips - 1, owed=owed), why)
            case _:
                return

    def _mistaken(
        self, world: World, row: WorldRow, before: WorldRow | None, cards: tuple[int, ...]
    ) -> Iterator[Going]:
        """Yield the worlds in which `row` is no step: a late or mistaken key, a card that is read twice."""
        if row.kind == "card" and before is not None and before.kind == "card" and world.slips:
            # A card that the shoe saw face up is no second reading of one that was not.
            if before.faces == row.faces and before.up is row.up:
                again = frozenset((place, cards[0]) for place, card in world.hidden if card == cards[0] - 1)
                twice = world._replace(slips=world.slips - 1, hidden=world.hidden | again)
                yield Going(twice, "the card was read twice")
            return
        if row.kind != "key":
            return
        key = (row.name, row.about)
        if key in world.owed:
            yield Going(world._replace(owed=world.owed - {key}), f"{row.name} came late")
        if row.name.startswith("open "):
            shut = frozenset(one for one in world.early if one[0] == f"close {row.name[5:]}")
            if shut:
                yield Going(world._replace(early=world.early - shut), "what was closed by mistake is opened again")
        tens = frozenset(one for one in world.early if one[0] == "ten")
        if row.name == "ten_refuted" and tens:
            yield Going(world._replace(early=world.early - tens))
        if world.slips and (row.name.startswith("close ") or key not in self._next_keys(world)):
            early = world.early | {(*key, self.log.rows)}
            why = f"{row.name} {row.about or ''} is early or a mistake"
            yield Going(world._replace(slips=world.slips - 1, early=early), why)

    def _taken_back(self, name: str) -> None:
        """Keep the worlds in which the last key `name` was a mistake; where it was none, taking it back is one."""
        made: Stories = {}
        for world, story in self.alive.items():
            pressed = [one for one in world.early if one[0] == name]
            if pressed:
                _put(made, Going(world._replace(early=world.early - {max(pressed, key=lambda one: one[2])})), story, 0)
            elif world.slips:
                going = Going(world._replace(slips=world.slips - 1), f"{name} was taken back by mistake")
                _put(made, going, story, self.log.rows)
        self._settle(made)

    def _next_keys(self, world: World) -> set[tuple[str, About]]:
        """Return the keys whose act is what can happen next."""
        found, todo, known = set[tuple[str, About]](), [world], {world}
        while todo:
            one = todo.pop()
            if one.agenda is not None and isinstance(one.agenda.step, KeyStep):
                found.add((one.agenda.step.name, one.agenda.step.about))
            new = {going.world for going in silent(one, self.log.faces, self.slips)} - known
            known |= new
            todo += new
        return found

    def _settle(self, worlds: Stories) -> None:
        """Keep `worlds` with all that they may become until the next row."""
        self.bases = dict(worlds)
        self.alive = dict(worlds)
        todo = list(worlds.items())
        while todo:
            world, story = todo.pop()
            free = silent(world, self.log.faces, self.slips)
            kept = [made for one in free if (made := _put(self.alive, one, story, self.log.rows)) is not None]
            todo += [(made, self.alive[made]) for made in kept]
            for going in slipped(world, self.log.rows):
                slip = _put(self.alive, going, story, self.log.rows)
                if slip is not None:
                    todo.append((slip, self.alive[slip]))
                    self.bases.setdefault(slip, self.alive[slip])


def _put(worlds: Stories, going: Going, story: str, row: int) -> World | None:
    """Add a world with its story, after its waiting cards were dealt; return it where it is new."""
    world = served(going.world)
    if world in worlds:
        return None
    worlds[world] = f"{story}; row {row}: {going.why}" if going.why else story
    return world


def _laid(world: World, rest: Agenda | None, place: str, cards: tuple[int, ...], *, up: bool) -> World:
    new = frozenset((place, card) for card in cards)
    hands = new if "." in place or place == "answer" else frozenset()
    hidden = world.hidden if up else world.hidden | new
    return world._replace(agenda=rest, hidden=hidden, lies=world.lies | hands)


def _near(meant: About, keyed: About) -> bool:
    """Return whether one may be keyed for the other by one wrong box."""
    if isinstance(meant, tuple) and isinstance(keyed, tuple):
        return len(set(meant) ^ set(keyed)) <= 2  # noqa: PLR2004  one box out, one in
    return True
