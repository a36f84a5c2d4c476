"""Scenario files: events and expected outputs that a compliance officer can read."""

from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.parser import Scenario, parse_scenario
from pitwarden.scenario.player import LineResult, ScenarioResult, StepResult, play_scenario
from pitwarden.scenario.report import as_json, as_text

__all__ = [
    "LineResult",
    "Scenario",
    "ScenarioError",
    "ScenarioResult",
    "StepResult",
    "as_json",
    "as_text",
    "parse_scenario",
    "play_scenario",
]
