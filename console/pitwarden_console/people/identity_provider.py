"""The house's identity provider: OpenID Connect with the authorization code flow, PKCE and a nonce. No other flow.

Threat: an answer that another browser asked for, a code or an ID token that is used twice or made for another client, a
token without a signature, a provider that does not answer, and an endpoint of it without TLS. What went wrong is one
sentence for the person; tokens are neither stored nor logged.
"""

import secrets
import ssl
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, KeySetSerialization
from pydantic import BaseModel, ConfigDict, ValidationError

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.errors import ConsoleError
from pitwarden_console.settings.console_settings import ProviderSettings
from pitwarden_console.settings.values import is_private_address

# Milliseconds that a person has at the provider's pages.
FLOW_MS: Final = 600_000
# Sign-ins under way; beyond it the oldest is forgotten. They are begun before anybody is known.
MAX_FLOWS: Final = 1_000
# Seconds until the provider counts as down.
TIMEOUT_S: Final = 5.0
# Characters of an answer that are read: a document of keys has some thousand.
MAX_ANSWER: Final = 262_144
# Milliseconds for which the provider's documents are used without asking again.
DOCUMENTS_MS: Final = 3_600_000
# Seconds by which the clocks of provider and console may differ.
_LEEWAY_S: Final = 60
_ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")


class ProviderError(ConsoleError):
    """The identity provider did not sign a person in. Policy: show the sentence; no session began.

    Example: the provider does not answer.
    """


class ProviderRefusalError(ProviderError):
    """The identity provider no longer vouches for a person whom this console knows.

    Policy: show the sentence, and end the sessions of `account_id`.

    Example: the house took the person out of its groups.
    """

    def __init__(self, sentence: str, account_id: int | None) -> None:
        super().__init__(sentence)
        self.account_id = account_id


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """Person as the provider vouches for them: `subject` is their name there, `claims` what it states about them."""

    subject: str
    claims: Mapping[str, object]


class _Documents(BaseModel):
    """Fields of the provider's discovery document that we use (OpenID Connect Discovery 1.0, section 3)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str | None = None

    def endpoints(self) -> Iterator[tuple[str, str]]:
        """Yield name and address of each endpoint."""
        yield "authorization_endpoint", self.authorization_endpoint
        yield "token_endpoint", self.token_endpoint
        yield "jwks_uri", self.jwks_uri
        if self.end_session_endpoint is not None:
            yield "end_session_endpoint", self.end_session_endpoint


@dataclass(frozen=True, slots=True)
class Flow:
    """A sign-in under way. `state` returns with the answer; `target` is the page to which the person returns.

    `account_id` is who was signed in already in this browser; None for no one.
    """

    state: str
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    target: str
    until_ms: int
    account_id: int | None = None


class IdentityProvider:
    """Client of the provider."""

    def __init__(self, settings: ProviderSettings, clock: ConsoleClock) -> None:
        self._settings, self._clock = settings, clock
        self._flows: OrderedDict[str, Flow] = OrderedDict()
        self._documents: _Documents | None = None
        self._read_ms = 0

    async def begin(self, target: str, account_id: int | None = None) -> tuple[str, Flow]:
        """Return the provider's address to which a person goes, and the flow that the answer belongs to.

        Raises:
            ProviderError: The provider does not answer, or answers nonsense.
        """
        flow = Flow(
            secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48), target,
            self._clock.monotonic_ms() + FLOW_MS, account_id,
        )  # fmt: skip
        async with self._client() as client:
            documents = await self._discovered(client)
            address, _ = client.create_authorization_url(
                documents.authorization_endpoint, state=flow.state, nonce=flow.nonce, code_verifier=flow.verifier
            )
        self._flows[flow.state] = flow
        while len(self._flows) > MAX_FLOWS:
            self._flows.popitem(last=False)
        return str(address), flow

    async def finish(self, answer: Mapping[str, str], bound: str) -> tuple[ProviderIdentity, str]:
        """Return the identity that the provider vouches for, and the page to which the person returns.

        Args:
            answer: The fields with which the provider sent the browser back.
            bound: State in the browser's cookie: the browser in which the sign-in began.

        Raises:
            ProviderError: The answer is not of a sign-in of this browser, or the provider does not answer.
            ProviderRefusalError: The provider refused.
        """
        state = answer.get("state", "")
        flow = self._flows.pop(state, None) if secrets.compare_digest(state.encode(), bound.encode()) else None
        if flow is None or flow.until_ms < self._clock.monotonic_ms():
            raise ProviderError("This sign-in was not begun here, or took too long. Begin again.")
        if "code" not in answer:
            why = " ".join(answer.get("error_description", answer.get("error", "it gave no reason")).split())[:200]
            raise ProviderRefusalError(f"The house's sign-in refused: {why}.", flow.account_id)
        async with self._client() as client:
            documents = await self._discovered(client)
            if answer.get("iss", documents.issuer) != documents.issuer:
                raise ProviderError("The answer is of another provider. Begin again.")
            try:
                token = await client.fetch_token(
                    documents.token_endpoint, grant_type="authorization_code", code=answer["code"],
                    code_verifier=flow.verifier,
                )  # fmt: skip
            except (AuthlibBaseError, httpx2.HTTPError, ValueError) as error:
                raise ProviderError(f"The house's sign-in did not confirm: {_why(error)}.") from None
            keys = await self._json(client, documents.jwks_uri)
        return self._verified(token, keys, documents, flow), flow.target

    async def sign_out_address(self, back: str) -> str | None:
        """Return where a person signs out at the provider too; None where it offers none or does not answer."""
        try:
            async with self._client() as client:
                documents = await self._discovered(client)
        except ProviderError:
            return None
        if documents.end_session_endpoint is None:
            return None
        query = urlencode({"client_id": self._settings.client_id, "post_logout_redirect_uri": back})
        return f"{documents.end_session_endpoint}?{query}"

    def _verified(
        self, token: Mapping[str, object], keys: Mapping[str, object], documents: _Documents, flow: Flow
    ) -> ProviderIdentity:
        """Return the identity in an ID token (OpenID Connect Core 1.0, section 3.1.3.7)."""
        client_id = self._settings.client_id
        try:
            read = jwt.decode(str(token.get("id_token", "")), KeySet.import_key_set(_key_set(keys)), list(_ALGORITHMS))
            claims = CodeIDToken(
                read.claims, read.header,
                {"iss": {"essential": True, "value": documents.issuer}, "aud": {"essential": True, "value": client_id}},
                {"nonce": flow.nonce, "client_id": client_id, "access_token": token.get("access_token")},
            )  # fmt: skip
            claims.validate(now=self._clock.utc_ms() // 1_000, leeway=_LEEWAY_S)
        except (JoseError, AuthlibBaseError, ValueError, KeyError, TypeError) as error:
            raise ProviderError(f"The house's sign-in sent no valid identity: {_why(error)}.") from None
        subject = claims.get("sub")
        if not isinstance(subject, str) or not subject:
            raise ProviderError("The house's sign-in sent no valid identity: it names no one.")
        return ProviderIdentity(subject, dict(claims))

    async def _discovered(self, client: AsyncOAuth2Client) -> _Documents:
        now = self._clock.monotonic_ms()
        if self._documents is not None and now - self._read_ms < DOCUMENTS_MS:
            return self._documents
        address = f"{self._settings.issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            read = _Documents.model_validate(await self._json(client, address))
        except ValidationError as error:
            missing = ", ".join(str(each["loc"][0]) for each in error.errors())
            raise ProviderError(f"The house's sign-in is no OpenID provider: {missing} at {address}.") from None
        if read.issuer != self._settings.issuer:
            raise ProviderError(f"The house's sign-in is another one: {read.issuer}, not {self._settings.issuer}.")
        for name, endpoint in read.endpoints():
            if not is_private_address(endpoint):
                raise ProviderError(
                    f"The house's sign-in is not private: its {name} is {endpoint}. Call the technician."
                )
        self._documents, self._read_ms = read, now
        return read

    @staticmethod
    async def _json(client: AsyncOAuth2Client, address: str) -> Mapping[str, object]:
        try:
            answer = await client.request("GET", address, withhold_token=True)
            answer.raise_for_status()
            if len(answer.content) > MAX_ANSWER:
                raise ProviderError("The house's sign-in sends more than it may. Call the technician.")
            read: object = answer.json()
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
            raise ProviderError(f"The house's sign-in does not answer: {_why(error)}.") from None
        if not isinstance(read, dict):
            raise ProviderError("The house's sign-in does not answer as an OpenID provider does.")
        return read

    def _client(self) -> AsyncOAuth2Client:
        ours = self._settings
        context = ssl.create_default_context(cafile=None if ours.ca is None else str(ours.ca))
        return AsyncOAuth2Client(
            ours.client_id, ours.client_secret, scope=" ".join(ours.scopes), redirect_uri=ours.redirect,
            code_challenge_method="S256", timeout=TIMEOUT_S, verify=context, follow_redirects=False, trust_env=False,
        )  # fmt: skip


def _key_set(keys: Mapping[str, object]) -> KeySetSerialization:
    """Return the provider's keys, each of which is checked where it is read."""
    listed = keys.get("keys")
    return {"keys": [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []}


def _why(error: Exception) -> str:
    """Return the reason of an error in one line, without a token that it may quote."""
    text = str(error) or type(error).__name__
    return " ".join(text.split())[:200].rstrip(".")
