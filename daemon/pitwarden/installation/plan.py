"""Plan of an installation: every file that a table on this controller needs, from answers and from what is there.

Running it again with the same answers plans the same files, so nothing changes.
"""

import secrets
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from pitwarden.config.halves import ACCOUNT_LETTERS, account_of
from pitwarden.installation.access_list import access_list, clashing_login, shipped, terminal_login, with_logins
from pitwarden.installation.answers import Answers, AnswersError
from pitwarden.installation.certificates import KeyedCertificate, issue, make_authority, request
from pitwarden.installation.files import (
    GROUP_ONLY,
    OWNER_ONLY,
    InstallationError,
    PlannedFile,
    read_present,
)
from pitwarden.installation.table_text import CONFIG, Loader, service_folders, table_text
from pitwarden.installation.toml_text import toml_section
from pitwarden_client.events.topics import HALVES

MOSQUITTO: Final = Path("/etc/mosquitto")
UNITS: Final = Path("/etc/systemd/system")
SYSUSERS: Final = Path("/etc/sysusers.d")
AUTHORITY: Final = CONFIG / "authority"
TERMINALS: Final = CONFIG / "terminals"
CONTROLLER: Final = "controller"
PLAIN_PORT: Final = 1883
TLS_PORT: Final = 8883
BROKER_GROUP: Final = "mosquitto"


@dataclass(frozen=True, slots=True)
class Controller:
    """Controller that is installed: the root of its files (`/` or an image), and its clock."""

    root: Path
    now: datetime

    def text(self, path: Path) -> str:
        """Return the text of an installed file; empty when it is not there."""
        return read_present(path, self.root)

    def tables(self, site: str) -> dict[str, bool]:
        """Return the tables of `site` whose files are on this controller, each with whether its halves are apart."""
        found: dict[str, bool] = {}
        for file in sorted((self.root / CONFIG.relative_to("/")).glob("*.toml")):
            try:
                whole = tomllib.loads(file.read_text(encoding="utf-8"))
                if whole["table"]["site"] == site:
                    found[whole["table"]["table"]] = whole["storage"].get("halves") == "apart"
            except (OSError, ValueError, KeyError, TypeError):
                continue  # no table file; `check-config` reports what is wrong with it
        return found


def plan_installation(answers: Answers, controller: Controller, load: Loader) -> list[PlannedFile]:
    """Return the files of the table, in the order in which they are written.

    Raises:
        AnswersError: The answers are not a valid table, or its name would be confused with a login.
        InstallationError: A file that is there cannot be read.
    """
    text = table_text(answers, load)
    others = {table: apart for table, apart in controller.tables(answers.site).items() if table != answers.table}
    clash = clashing_login(answers.table, others)
    if clash is not None:
        raise AnswersError(f"table.table: {clash!r} is also a login of the site's broker: choose another name")
    files = [PlannedFile(CONFIG / f"{answers.table}.toml", text.encode(), present="refuse")]
    if answers.is_apart:
        files.append(PlannedFile(SYSUSERS / f"pitwarden-{answers.table}.conf", accounts_text(answers.table).encode()))
    if answers.is_simulated:
        unit = f"pitwarden-{'field' if answers.is_apart else 'table'}@{answers.table}.service.d"
        files.append(PlannedFile(UNITS / unit / "simulated.conf", shipped("simulated.conf").encode()))
    if answers.has_local_broker:
        files += _broker(answers, {**others, answers.table: answers.is_apart}, controller)
    else:
        folders = service_folders(answers.table, apart=answers.is_apart).values()
        files += [_password(folder / "broker.password", controller)[0] for folder in folders]
    return files


def accounts_text(table: str) -> str:
    """Return the accounts of the two units of a table, as systemd-sysusers makes them.

    Raises:
        AnswersError: The table's name is too long for the name of an account.
    """
    names = [account_of(table, half) for half in HALVES]
    if len(names[0]) > ACCOUNT_LETTERS:
        most = ACCOUNT_LETTERS - len(account_of("", HALVES[0]))
        raise AnswersError(
            f"table.table: {table!r} is too long for the accounts of its halves: use at most {most} characters,"
            ' or [setup] halves = "together"'
        )
    lines = [f'u {name} -:pitwarden "pitwarden, {half} half of {table}" - /usr/sbin/nologin'
             for name, half in zip(names, HALVES, strict=True)]  # fmt: skip
    # The group, too: where an image has no account yet, this file is read before that of the package.
    return "\n".join(["# Written by `pitwarden setup`. Then: systemd-sysusers", "g pitwarden -", *lines, ""])


def _broker(answers: Answers, tables: Mapping[str, bool], controller: Controller) -> Iterator[PlannedFile]:
    """Yield the files of the broker on this controller, and those that its terminals join with."""
    passwords: dict[str, str] = {}
    for login, folder in service_folders(answers.table, apart=answers.is_apart).items():
        service, passwords[login] = _password(folder / "broker.password", controller)
        yield service
    certificates = _Certificates(answers, controller) if answers.setup.pit else None
    joining = {terminal_login(answers.table, role): role for role in answers.setup.terminals}
    for login in (*joining, *answers.setup.consumers):
        folder = TERMINALS / login
        if certificates is None:
            secret, passwords[login] = _password(folder / "password", controller)
            yield secret
        else:
            yield from certificates.of(login, (), folder)
            yield from certificates.proof(folder / "site-ca.crt")
        role = joining.get(login)
        # A consumer reads all tables of the site, so it has a profile for each.
        name = "profile" if role is not None else answers.table
        yield PlannedFile(folder / f"{name}.toml", _profile(answers, login, role).encode())
    if certificates is not None:
        yield from certificates.authority()
        yield from certificates.of(CONTROLLER, answers.setup.pit, MOSQUITTO / "certs", group=BROKER_GROUP)
        yield from certificates.proof(MOSQUITTO / "certs" / "site-ca.crt")
    known = controller.text(MOSQUITTO / "pitwarden.passwd")
    lines = {line.partition(":")[0] for line in known.splitlines()}
    new = {
        login: word
        for login, word in passwords.items()
        if login not in lines or not _is_there(login, answers, controller)
    }
    yield PlannedFile(
        MOSQUITTO / "pitwarden.passwd",
        (with_logins(known, new) if new else known).encode(),
        GROUP_ONLY,
        group=BROKER_GROUP,
        secret=True,
    )
    acl = access_list(answers.site, tables, controller.text(MOSQUITTO / "pitwarden.acl"))
    yield PlannedFile(MOSQUITTO / "pitwarden.acl", acl.encode(), GROUP_ONLY, group=BROKER_GROUP)
    yield PlannedFile(MOSQUITTO / "conf.d" / "pitwarden.conf", shipped("pitwarden.conf").encode())
    if certificates is not None and certificates.signed:
        yield PlannedFile(MOSQUITTO / "conf.d" / "pitwarden-pit.conf", shipped("pitwarden-pit.conf").encode())


def _is_there(login: str, answers: Answers, controller: Controller) -> bool:
    """Return whether the password of `login` is installed, so that its line needs no new one."""
    own = service_folders(answers.table, apart=answers.is_apart).get(login)
    places = [TERMINALS / login / "password", *([own / "broker.password"] if own is not None else [])]
    return any(controller.text(place) for place in places)


def _password(path: Path, controller: Controller) -> tuple[PlannedFile, str]:
    """Return the file of a password and the password: the installed one, or a new one of 192 random bits."""
    word = controller.text(path).strip() or secrets.token_urlsafe(24)
    return PlannedFile(path, word.encode(), OWNER_ONLY, "keep", secret=True), word


def _profile(answers: Answers, login: str, role: str | None) -> str:
    """Return the profile with which a terminal or a consumer joins: the folder is copied there as it is."""
    values: dict[str, object] = {"table": f"{answers.site}/{answers.table}", "terminal": login}
    if role is not None:
        values |= {"role": role, "game": answers.sections["table"].get("game", "")}
        keyed = answers.sections.get("inputs", {}).get("keyed", "all")
        values |= {} if keyed == "all" else {"keyed": keyed}
    if answers.setup.pit:
        values |= {"broker": f"mqtts://{answers.setup.pit[0]}:{TLS_PORT}", "ca": "site-ca.crt"}
        values |= {"cert": f"{login}.crt", "key": f"{login}.key"}
    else:
        values |= {"broker": f"mqtt://127.0.0.1:{PLAIN_PORT}", "username": login, "password_file": "password"}
    head = "# Copy this folder to the terminal, then: pitwarden watch --profile FILE, and tail and input alike\n"
    return head + toml_section(("profile",), values)


class _Certificates:
    """Certificates of one installation: those that are there, or new ones; or requests to the house's authority."""

    def __init__(self, answers: Answers, controller: Controller) -> None:
        self._controller = controller
        self._here = answers.setup.authority == "here"
        self._ca = self._authority(answers.site) if self._here else None

    @property
    def signed(self) -> bool:
        """True when the broker's certificate is signed, so that a listener with TLS can start."""
        return self._here or bool(self._controller.text(MOSQUITTO / "certs" / f"{CONTROLLER}.crt"))

    def authority(self) -> Iterator[PlannedFile]:
        """Yield the authority's own files."""
        if self._ca is not None:
            yield PlannedFile(AUTHORITY / "ca.crt", self._ca.certificate, present="keep")
            yield PlannedFile(AUTHORITY / "ca.key", self._ca.key, OWNER_ONLY, "keep", secret=True)

    def proof(self, path: Path) -> Iterator[PlannedFile]:
        """Yield the certificate that proves the others, at `path`."""
        if self._ca is not None:
            yield PlannedFile(path, self._ca.certificate)

    def of(
        self, login: str, addresses: tuple[str, ...], folder: Path, group: str | None = None
    ) -> Iterator[PlannedFile]:
        """Yield certificate and key of `login`; without an authority here, key and signing request."""
        suffix = "crt" if self._here else "csr"
        present = self._controller.text(folder / f"{login}.{suffix}"), self._controller.text(folder / f"{login}.key")
        if all(present):
            made = KeyedCertificate(present[0].encode(), present[1].encode())
        elif self._ca is not None:
            made = issue(self._ca, login, addresses, self._controller.now)
        else:
            made = request(login, addresses)
        mode = OWNER_ONLY if group is None else GROUP_ONLY
        yield PlannedFile(folder / f"{login}.key", made.key, mode, "keep", group, secret=True)
        yield PlannedFile(folder / f"{login}.{suffix}", made.certificate, present="keep")

    def _authority(self, site: str) -> KeyedCertificate:
        present = self._controller.text(AUTHORITY / "ca.crt"), self._controller.text(AUTHORITY / "ca.key")
        if not any(present):
            return make_authority(site, self._controller.now)
        if not all(present):
            raise InstallationError(
                f"{AUTHORITY}: has only one of ca.crt and ca.key; restore both from their copy, or move both away"
            )
        return KeyedCertificate(present[0].encode(), present[1].encode())
