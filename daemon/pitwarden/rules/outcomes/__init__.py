"""Outcomes of wagers: results of public cards under the rules of the game and the pay tables in force."""
