"""Models of the table file, one frozen model per section. Unknown keys and coerced types are refused."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, create_model

from pitwarden.config.house_policy import house_policy, switch_keys
from pitwarden.rules.setup.table_setup import HousePolicy
from pitwarden.system.gaming_day import DEFAULT_START, DEFAULT_ZONE

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=200)]
DriverName = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9_-]{1,64}|[a-z-]{1,16}:/[ -~]{1,200})$")]
TimeOfDay = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Place = Annotated[Path, BeforeValidator(lambda given: Path(given) if isinstance(given, str) else given)]


def _tuple(given: object) -> object:
    return tuple(given) if isinstance(given, list) else given


Names = Annotated[tuple[Words, ...], BeforeValidator(_tuple)]


class Section(BaseModel):
    """Base of all sections."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", validate_default=True)


class TableSection(Section):
    """The table and its game. `gaming_day` is the start of the gaming day by the clock of the house's IANA time zone.

    `in_set`: number of decks in each of `decks`; it may be omitted where the game allows only one number. `rack`: side
    of the dealer on which the discard rack is (13:69E-1.19(h)). `profiles`: folder of the house's own game profiles.
    """

    site: Name
    table: Name
    game: Name
    positions: Annotated[int, Field(ge=1, le=7)]
    gaming_day: TimeOfDay = DEFAULT_START
    zone: Words = DEFAULT_ZONE
    mode: Literal["manual_shoe", "auto_shoe", "hand"] = "manual_shoe"
    rack: Literal["left", "right"] | None = None
    decks: Annotated[dict[Name, Words], Field(min_length=1, max_length=8)]
    in_set: Annotated[int, Field(ge=1, le=8)] | None = None
    profiles: Place | None = None
    simulated: bool = False


class BrokerSection(Section):
    """Broker: `addresses` of its nodes, tried in turn, or one `host` and `port`. `keepalive` is in seconds.

    `protocol` is "3.1.1" only for a broker without MQTT 5. `order`: whether each half begins at the first address or at
    a random one. `subscribe_qos` may be 0 since rows, inputs and commands are repeated by their senders. The broker
    must answer within `answer_seconds`, which must exceed its own time-outs.
    """

    host: Words = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 1883
    addresses: Annotated[Names, Field(max_length=8)] = ()
    order: Literal["listed", "random"] = "listed"
    username: Words | None = None
    password_file: Place | None = None
    ca: Place | None = None
    cert: Place | None = None
    key: Place | None = None
    keepalive: Annotated[int, Field(ge=2, le=300)] = 5
    protocol: Literal["5", "3.1.1"] = "5"
    subscribe_qos: Literal[0, 1] = 1
    answer_seconds: Annotated[int, Field(ge=2, le=60)] = 4


class StorageSection(Section):
    """Folders of the journals and the keys. A relative path starts at the table file's folder.

    Rows are retained for `keep_days`, unless they take more than `max_mb` (0: no limit), and until the judge and each
    of the `consumers`, by the names of their positions, has stored them. `halves`: "apart" where each half has an
    account, a part of both folders, and a login of its own; "together" where one process or account runs both.
    """

    journals: Place
    keys: Place
    halves: Literal["apart", "together"] = "together"
    keep_days: Annotated[int, Field(ge=2, le=3_650)] = 400
    max_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    consumers: Names = ()


class JudgeSection(Section):
    """Judge of this table: the consumer for whose stored position the log waits."""

    name: Name = "judge"
    grace_ms: Annotated[int, Field(ge=0, le=60_000)] = 1_000


class JudgeGroupSection(Section):
    """Database in which several judges keep one record of their tables, and take over from each other.

    `addresses` of its servers are tried in turn until one accepts writes: `HOST:PORT`, or the folder of a local socket.
    All but a local server need `ca`. `member` names this process; without it, the machine's name does. A table whose
    owner has not renewed its lease for `lease_seconds` is taken over. `takes_older_rules` allows to take over what a
    member with older rules judged last.
    """

    addresses: Annotated[Names, Field(min_length=1, max_length=8)]
    database: Words = "pitwarden"
    user: Words
    password_file: Place | None = None
    ca: Place | None = None
    cert: Place | None = None
    key: Place | None = None
    member: Name | None = None
    lease_seconds: Annotated[int, Field(ge=2, le=30)] = 3
    takes_older_rules: bool = False


class DeviceSection(Section):
    """Device. `baud` is in bit/s; `procedure` is the reference of its procedures on file (13:69E-1.19(c)1).

    `lock`: the judge may lock this shoe between rounds while dealing is withheld, and unlocks it with the permit.
    `side`: of the dealer on which it is placed (1.19(h)); `ranks`: those whose marks a reader reads (1.17(c)).
    """

    family: Literal["shoe", "shuffler", "reader", "keypad"]
    driver: DriverName = "tdp"
    port: Words
    serial: Words
    firmware: Names = ()
    baud: Annotated[int, Field(ge=300, le=4_000_000)] = 115_200
    stale_after_ms: Annotated[int, Field(ge=500, le=60_000)] = 3_000
    procedure: Words | None = None
    counts: bool | None = None
    reads: bool = True
    automated: bool = False
    player_visible: bool | None = None
    lock: bool = False
    side: Literal["left", "right"] | None = None
    ranks: Names = ("A", "K", "Q", "J", "10")


if TYPE_CHECKING:
    _Switches = Section
else:
    _Switches = create_model("_Switches", __base__=Section, **switch_keys(Names))


class RulesSection(_Switches):
    """House policy where the texts are silent or ambiguous, each switch by its name in `rules.setup.HousePolicy`.

    `manual_deal`: how the stacks of a manual shoe are dealt, one card to each hand in turn or hand by hand. It decides
    which cards are revealed when a hand is turned, so a game with such a deal must set it. `hole_card`: whether the
    dealer's second card is dealt with the players'; `wagers`: the optional wagers of blackjack that are offered, by
    section; `draw`: the dealer's draw rule as inscribed on the layout; `bettors`: how many persons may wager on one
    box.
    """

    hole_card: bool = True
    wagers: Names = ()

    def policy(self) -> HousePolicy:
        """Return the house policy that this section states."""
        return house_policy({name: getattr(self, name) for name in _Switches.model_fields})

    def leaves_open(self, switch: str) -> bool:
        """Return whether the section does not decide `switch`."""
        return getattr(self, switch) is None


Cents = Annotated[int, Field(ge=1, le=10**12)]


class PaySection(Section):
    """Posted terms of one wager: the pay table of the text, and the limits of the stake in cents.

    `lines`: the odds of other lines (`triple_match = "40 to 1"`). They need `approved`, the reference of the approval,
    unless the text makes its odds a minimum.
    """

    table: Name | None = None
    posted: bool = False
    lines: dict[Name, Words] = {}
    approved: Words | None = None
    minimum: Cents | None = None
    maximum: Cents | None = None


class InputsSection(Section):
    """Inputs that are keyed at this table: `all`, or a list of acts as in `kp.boxes`.

    `second_person`: a witness is a `name` that the first person enters, or confirms the act at another `login`.
    """

    keyed: Literal["all"] | Names = "all"
    second_person: Literal["name", "login"] = "name"

    def keys(self, act: str) -> bool:
        """Return whether `act` is accepted from this table's terminals. Only acts of the dealer may be omitted."""
        return self.keyed == "all" or not act.startswith("kp.") or act in self.keyed


class MetricsSection(Section):
    """Metrics endpoint: a local `socket`, or a port at which both sides present a certificate. Without it: none.

    `cert` and `key` are this controller's; a reader's certificate must be issued by `client_ca`.
    """

    socket: Place | None = None
    host: Words | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    cert: Place | None = None
    key: Place | None = None
    client_ca: Place | None = None


class AttestationSection(Section):
    """Attestation of the house about one clause: author, date, and where it is filed."""

    by: Words
    on: date
    reference: Words | None = None


class TableFile(Section):
    """Complete table file."""

    table: TableSection
    broker: BrokerSection = BrokerSection()
    storage: StorageSection
    judge: JudgeSection = JudgeSection()
    judge_group: JudgeGroupSection | None = None
    devices: Annotated[dict[Name, DeviceSection], Field(max_length=16)]
    inputs: InputsSection = InputsSection()
    metrics: MetricsSection | None = None
    rules: RulesSection = RulesSection()
    attestations: Annotated[dict[Name, AttestationSection], Field(max_length=32)] = {}
    pay: Annotated[dict[Name, PaySection], Field(max_length=16)] = {}
