"""Scenario files: events and expected outputs that a compliance officer can read."""

from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.parser import Scenario, parse
from pitwarden.scenario.player import Judged, Outcome, Told, play
from pitwarden.scenario.report import as_json, as_text

__all__ = ["Judged", "Outcome", "Scenario", "ScenarioError", "Told", "as_json", "as_text", "parse", "play"]
