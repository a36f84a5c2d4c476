"""The shipped alert rules ask for metrics and labels that are exported, and fire on what they are for."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from pitwarden.metrics.families import ALL

SHIPPED = Path(__file__).parents[2] / "config" / "prometheus"
FAMILIES = {sample: family for family in ALL for sample in family.samples}
OF_PROMETHEUS = {"instance", "job", "le"}


def rules() -> list[dict[str, str]]:
    groups = yaml.safe_load((SHIPPED / "pitwarden.rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_a_rule_asks_for_what_is_exported(rule: dict[str, str]) -> None:
    asked = re.findall(r"pitwarden_\w+", re.sub(r'"[^"]*"', "", rule["expr"]))
    assert [name for name in asked if name not in FAMILIES] == []
    known = OF_PROMETHEUS.union(*(FAMILIES[name].all_labels for name in asked))
    matched = re.findall(r"[{,]\s*(\w+)\s*(?:=|!)", rule["expr"]) + re.findall(r"\$labels\.(\w+)", str(rule))
    for group in re.findall(r"by \(([^)]*)\)", rule["expr"]):
        matched += group.split(", ")
    assert set(matched) <= known
    assert set(rule["annotations"]) == {"summary", "do"}


def test_what_can_go_wrong_at_a_table_has_an_alert() -> None:
    asked = " ".join(rule["expr"] for rule in rules())
    for family in ALL:
        if family.name.endswith(
            ("_state", "_up", "_fault", "_granted", "_depth", "_overdue", "_free_bytes", "_error_seconds")
        ):
            assert family.name in asked


def test_prometheus_own_tool_accepts_them_and_they_fire(tmp_path: Path, promtool: str) -> None:
    for file in (*SHIPPED.iterdir(), Path(__file__).parent / "alerts.yml"):
        shutil.copy(file, tmp_path)
    for words in (("check", "config", "--syntax-only", "prometheus.yml"), ("test", "rules", "alerts.yml")):
        said = subprocess.run([promtool, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stdout + said.stderr
