"""The fuzzing command in short: one batch of each target."""

import importlib.util
import sys
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("fuzz", Path(__file__).parents[1] / "fuzz.py")
assert _SPEC is not None
assert _SPEC.loader is not None
fuzz = importlib.util.module_from_spec(_SPEC)
sys.modules["fuzz"] = fuzz
_SPEC.loader.exec_module(fuzz)


@pytest.mark.parametrize("target", sorted(fuzz.TARGETS))
def test_a_batch_finds_nothing(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "BATCH", 5 if target == "scenario" else 30)
    fuzz.batch(target, 0)


def test_what_a_target_must_not_do_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(data: bytes) -> None:
        if b"\xff" in data:
            raise ValueError("a bug")

    monkeypatch.setitem(fuzz.TARGETS, "wire", breaks)
    with pytest.raises(ValueError, match="a bug"):
        fuzz.batch("wire", 0)
