"""Options of commands that name tables and brokers: by table file, or by address without one."""

import argparse
import secrets
from dataclasses import dataclass
from pathlib import Path

from pitwarden.cli.broker_url import parse_broker_url
from pitwarden.cli.table_file import read_table_file
from pitwarden.cli.terminal_profile import ProfileFileError, TerminalProfile, load_profile_file
from pitwarden.config.halves import of_half
from pitwarden.service.reload import broker_settings
from pitwarden_client.events.topics import checked
from pitwarden_client.mqtt.settings import BrokerSettings


@dataclass(frozen=True, slots=True)
class ConsumerTarget:
    """One table at one broker. `consumer`: name that the broker's rights know, where a profile states one."""

    broker: BrokerSettings
    site: str
    table: str
    consumer: str | None = None


class TargetError(Exception):
    """The arguments name no table.

    Policy: print the sentence, exit with code 2; 78 when a table file is refused.

    Example: --table without the site.
    """

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a consumer."""
    add_broker_options(parser)
    parser.add_argument("--name", help="this consumer's own name, as the broker's rights know it (default: made up)")


def add_broker_options(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that name tables and brokers."""
    parser.add_argument("--config", type=Path, action="append", default=[], metavar="FILE", help="a table file (TOML)")
    parser.add_argument("--table", action="append", default=[], metavar="SITE/TABLE", help="a table, with --broker")
    parser.add_argument("--broker", metavar="URL", help="mqtt://HOST[:PORT], or mqtts:// for TLS")
    parser.add_argument("--username", help="the login at --broker")
    parser.add_argument("--password-file", type=Path, metavar="FILE", help="a file with its password alone")
    parser.add_argument("--ca", type=Path, metavar="FILE", help="the certificates that prove an mqtts:// broker")
    parser.add_argument("--cert", type=Path, metavar="FILE", help="our own certificate at an mqtts:// broker")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the private key of --cert")
    parser.add_argument(
        "--profile", type=Path, action="append", default=[], metavar="FILE", help="a terminal's profile from `setup`"
    )


def parse_targets(args: argparse.Namespace) -> list[ConsumerTarget]:
    """Return the tables that the arguments name.

    Raises:
        TargetError: They name none, or an argument is wrong.
    """
    found = [_of_file(file) for file in args.config]
    found += [_of_profile(file) for file in args.profile]
    if args.table and args.broker is None:
        raise TargetError("--table needs --broker: write --broker mqtt://HOST --table SITE/TABLE, or --config FILE")
    for each in args.table:
        site, _, table = each.partition("/")
        try:
            found.append(ConsumerTarget(_broker(args), checked(site), checked(table)))
        except ValueError as error:
            raise TargetError(f"--table {each}: write SITE/TABLE: {error}") from None
    if not found:
        raise TargetError(
            "which table? Write --profile FILE, --config FILE, or --broker mqtt://HOST --table SITE/TABLE"
        )
    return found


def consumer_name(args: argparse.Namespace, default: str, of_profile: str | None = None) -> str:
    """Return the consumer's name: as given, or of its profile; one with a random part without either.

    Raises:
        TargetError: The name must not be part of a topic.
    """
    try:
        return checked(args.name or of_profile or f"{default}-{secrets.token_hex(4)}")
    except ValueError as error:
        raise TargetError(f"--name: {error}") from None


def _of_file(file: Path) -> ConsumerTarget:
    table = read_table_file(file)
    if table is None:
        raise TargetError("", 78)
    # Where each half has a login, that of the judge reads more of the table.
    return ConsumerTarget(broker_settings(of_half(table, "judge")), table.table.site, table.table.table)


def read_profile(file: Path) -> TerminalProfile:
    """Return the profile at `file`.

    Raises:
        TargetError: It is refused.
    """
    try:
        return load_profile_file(file)
    except ProfileFileError as error:
        raise TargetError(str(error), 78) from None


def _of_profile(file: Path) -> ConsumerTarget:
    profile = read_profile(file)
    consumer = profile.terminal if profile.role is None else None
    return ConsumerTarget(profile.broker, profile.site, profile.table, consumer)


def _broker(args: argparse.Namespace) -> BrokerSettings:
    try:
        url = parse_broker_url(args.broker)
    except ValueError as error:
        raise TargetError(f"--broker {args.broker}: {error}") from None
    tls = url.tls
    if tls and args.ca is None:
        raise TargetError(f"--broker {args.broker}: TLS needs --ca FILE, the certificates that prove the broker")
    # A person who names a CA expects encryption, so an unencrypted connection must not be opened silently.
    if not tls and args.ca is not None:
        raise TargetError("--ca is for a broker at mqtts://; this one would be asked without TLS")
    if (args.cert is None) != (args.key is None):
        raise TargetError("--cert and --key go together: our certificate and its private key")
    if args.cert is not None and not tls:
        raise TargetError("--cert is for a broker at mqtts://; this one would be asked without TLS")
    return BrokerSettings(
        url.host,
        url.port,
        args.username,
        args.password_file,
        args.ca,
        args.cert,
        args.key,
    )
