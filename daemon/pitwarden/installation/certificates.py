"""Certificates of a site: an authority that is made here, or signing requests for the house's own.

Keys are EC P-256. An authority is valid for ten years, a certificate for two; `pitwarden doctor` warns before one ends.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# Days for which the site's authority is valid: ten years, as long as a table is in use.
AUTHORITY_DAYS: Final = 3_650
# Days for which a certificate of a login is valid: two years. The service warns before it ends.
CERTIFICATE_DAYS: Final = 730
CLOCK_TOLERANCE: Final = timedelta(days=1)
"""A certificate is valid from a day ago: the clocks of terminals are rarely set when they join."""


@dataclass(frozen=True, slots=True)
class KeyedCertificate:
    """Certificate, or signing request, and its private key, both in PEM."""

    certificate: bytes
    key: bytes = field(repr=False)


def make_authority(site: str, now: datetime) -> KeyedCertificate:
    """Return a new authority of `site`, which signs certificates and nothing else."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(f"pitwarden authority {site}")
    made = (
        _builder(name, name, key.public_key(), now, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return KeyedCertificate(made.public_bytes(serialization.Encoding.PEM), _private(key))


def issue(authority: KeyedCertificate, login: str, addresses: Sequence[str], now: datetime) -> KeyedCertificate:
    """Return a certificate of `login`, its common name; with `addresses` it proves a server, else a client.

    Raises:
        ValueError: The authority's files are not a certificate and its key.
    """
    issuer = x509.load_pem_x509_certificate(authority.certificate)
    signing = serialization.load_pem_private_key(authority.key, password=None)
    if not isinstance(signing, ec.EllipticCurvePrivateKey):
        raise ValueError("the authority's key is not an EC key")  # noqa: TRY004  a file's content, not an argument's type
    key = ec.generate_private_key(ec.SECP256R1())
    purpose = ExtendedKeyUsageOID.SERVER_AUTH if addresses else ExtendedKeyUsageOID.CLIENT_AUTH
    builder = (
        _builder(_name(login), issuer.subject, key.public_key(), now, CERTIFICATE_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()), critical=False)
    )
    if addresses:
        builder = builder.add_extension(_alternatives(addresses), critical=False)
    made = builder.sign(signing, hashes.SHA256())
    return KeyedCertificate(made.public_bytes(serialization.Encoding.PEM), _private(key))


def request(login: str, addresses: Sequence[str]) -> KeyedCertificate:
    """Return a signing request of `login` for the house's own authority, and the key that stays here."""
    key = ec.generate_private_key(ec.SECP256R1())
    builder = x509.CertificateSigningRequestBuilder().subject_name(_name(login))
    if addresses:
        builder = builder.add_extension(_alternatives(addresses), critical=False)
    return KeyedCertificate(builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM), _private(key))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    start = now.astimezone(UTC).replace(microsecond=0)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start - CLOCK_TOLERANCE)
        .not_valid_after(start + timedelta(days=days))
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _alternatives(addresses: Sequence[str]) -> x509.SubjectAlternativeName:
    names: list[x509.GeneralName] = []
    for address in addresses:
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(address)))
        except ValueError:
            names.append(x509.DNSName(address))
    return x509.SubjectAlternativeName(names)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
