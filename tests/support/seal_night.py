"""Keys, a sealer and an opener for tests that need sealed rows."""

from dataclasses import dataclass

from pitwarden.client.verification.signed_rows import Scope
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden.seal.opener import Opener
from pitwarden.seal.sealer import Sealer


@dataclass(frozen=True)
class SealNight:
    """A field half's signing key, a judge's key, the sealer of one epoch and an opener that knows its key."""

    scope: Scope
    signer: SigningKey
    judge: PrivateKey
    sealer: Sealer
    opener: Opener


def seal_night(epoch: str = "e1") -> SealNight:
    """A fresh one at `site`, `t1`."""
    scope = Scope("site", "t1", epoch)
    signer, judge = SigningKey.generate(), PrivateKey.generate()
    sealer = Sealer(signer, scope, f"{epoch}-1", [judge.public_key])
    opener = Opener([judge], [signer.public], scope.site, scope.table)
    opener.learn(epoch, sealer.announcement)
    return SealNight(scope, signer, judge, sealer, opener)
