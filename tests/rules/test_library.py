"""A house's own profiles: played like those of the package, refused by file and row, and no other game's concern."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from pitwarden.rules import ProfileError, load_profile, profile_digest, validate_setup
from pitwarden.rules.profile.library import NAMES, default_decks, load_library
from testkit.tables.rules_table import setup_of

STUD = (files("pitwarden.rules.profile") / "data" / "profiles" / "mississippi-stud.toml").read_text(encoding="utf-8")
OWN = STUD.replace("mississippi-stud", "house-stud").replace("MS", "HS").replace("Mississippi", "House")
LISTED = '[listed]\nfour_hours = "amendment"\nshuffler = "amendment"\n\n[keys]'


def own(folder: Path, text: str = OWN, name: str = "house-stud") -> Path:
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_house_s_own_game_is_in_the_library_beside_those_of_the_package(tmp_path: Path) -> None:
    library = load_library(own(tmp_path))
    assert set(library.games) == {"HS", *load_library().games}
    assert library.games["HS"].folder == tmp_path
    assert library.refused == {}
    assert [one.ident for one in load_profile("house-stud", 1, (), tmp_path).clauses][:2] == ["HS-01", "HS-02"]
    assert default_decks("house-stud", tmp_path) == 1


def test_a_game_that_the_regulation_s_lists_do_not_name_brings_its_amendment(tmp_path: Path) -> None:
    devices = tuple(replace(one, procedure_ref="IC-1") for one in setup_of("MS").devices)
    plain = replace(setup_of("MS"), devices=devices, profile=load_profile("house-stud", 1, (), own(tmp_path)))
    with pytest.raises(ProfileError, match="the profile and the list of four hours disagree"):
        validate_setup(plain)
    (tmp_path / "listed").mkdir()
    folder = own(tmp_path / "listed", OWN.replace("[keys]", LISTED))
    listed = replace(plain, profile=load_profile("house-stud", 1, (), folder))
    assert validate_setup(listed) is listed
    assert profile_digest(listed) != profile_digest(plain)  # the lists decide whether a key is refused


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('name = "house-stud"', 'name = "stud"', "name: the file is called house-stud: write that name here"),
        ('game = "HS"', 'game = "TAB"', "clauses.HS-01: a clause of this game has a number that begins with TAB-"),
        ('clause = "HS-01"', 'clause = "HS-99"', "rules.bets_closed.clause: 'HS-99' is in no list of clauses: add ["),
        ("[keys]", '[listed]\ntables = "x"\n[keys]', "listed.tables: there is no such list of games: shuffler, hand"),
        ("cards = 52", "cards = = 52", "Invalid value"),
        ("decks = [1]", "decks = []", "decks: the numbers of decks that the game may be played with are missing"),
        ("decks = [1]", "decks = [1]\nusual = 2", "decks: the game is played with 1 decks, not with 2"),
    ],
)
def test_a_wrong_profile_is_refused_by_row_and_breaks_no_other_game(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    assert old in OWN
    library = load_library(own(tmp_path, OWN.replace(old, new, 1)))
    assert str(library.refused["house-stud"]).startswith(f"{tmp_path / 'house-stud.toml'}: {reason}")
    assert set(library.games) == set(load_library().games)


def test_no_game_is_replaced_by_one_of_its_name(tmp_path: Path) -> None:
    own(tmp_path, OWN.replace("house-stud", "craps"), "craps")
    text = OWN.replace('game = "HS"', 'game = "MS"').replace("HS-0", "MS-0")
    library = load_library(own(tmp_path, text))
    assert str(library.refused["craps"]).endswith(
        "the package has a game of this name: rename the file and its row `name`"
    )
    assert "game: 'MS' is the short name of mississippi-stud too" in str(library.refused["house-stud"])
    assert library.games["CR"].folder is None
    with pytest.raises(ProfileError, match="the package has a game of this name"):
        load_profile("craps", folder=tmp_path)


def test_a_file_that_cannot_be_read_and_a_folder_that_is_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "notes.txt").write_text("no profile")
    refused = load_library(tmp_path).refused
    assert str(refused["bytes"]) == f"{tmp_path / 'bytes.toml'}: is not UTF-8 text: save it as UTF-8"
    assert str(refused["folder"]) == f"{tmp_path / 'folder.toml'}: cannot be read: Is a directory"
    assert set(refused) == {"bytes", "folder"}
    with pytest.raises(ProfileError, match="nowhere: the folder of game profiles cannot be read: No such file"):
        load_library(tmp_path / "nowhere")


def test_a_game_that_is_nowhere_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ProfileError) as refused:
        load_profile("whist", folder=own(tmp_path))
    assert str(refused.value) == f"'whist' is no game profile: there are {', '.join(sorted((*NAMES, 'house-stud')))}"
