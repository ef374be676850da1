"""Names and sentences follow the rules of plain English; `tests/wording.py` has the rules and lists the faults."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.tables import each_row
from tests.wording import HOUSE, REPOSITORY, faults, faults_of_verb, files, verbs

PARTS = sorted(
    {
        *(f"{folder}/{each.name}" for folder in ("webclient", "tests") for each in (REPOSITORY / folder).iterdir()),
        *("templates", "static/js", "static/css", "docs", "bench", "scripts", "examples", "Makefile"),
        *("README.md", "SECURITY.md", "CHANGELOG.md"),
    }
)


def paths(part: str) -> list[Path]:
    """Return the files of a room, a folder or a document."""
    if "*" in part:
        return [path for path in sorted(REPOSITORY.glob(part)) if path in files(path.parent)]
    return files(REPOSITORY / part)


ROOMS = [part for part in PARTS if not part.endswith(".py") and paths(part)]


@each_row("part", [*ROOMS, "webclient/*.py", "tests/*.py"])
def test_names_and_sentences_are_plain_english(part: str) -> None:
    assert [str(fault) for path in paths(part) for fault in faults(path)] == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("module.py", '"""Whoever asks is told."""', [(1, "told"), (1, "Whoever"), (1, "Whoever asks is told.")]),
        (
            "module.py",
            'def held(question: int) -> None:\n    """What it is."""',
            [(1, "held"), (1, "question"), (1, "What it is.")],
        ),
        ("module.py", 'LIMIT = 1\n"""What may wait."""', [(2, "What may wait.")]),
        ("module.py", "def test_what_is_refused() -> None: ...", [(1, "test_what_is_refused")]),
        (
            "page.md",
            "It is no date,\nbut it is no longer one; `held` is code.\n\nConnect anew.",
            [(1, "is no"), (4, "anew")],
        ),
        ("page.md", "# What is stored", [(1, "# What is stored")]),
        ("live.js", 'const held = "it is told"  // whoever asks', [(1, "told"), (1, "whoever"), (1, "held")]),
        (
            "card.css",
            "/* Shown anew. */\n.card__kept { --offers: 1; }",
            [(1, "anew"), (2, "card__kept"), (2, "--offers")],
        ),
        ("Makefile", "all:\n\techo told # till then", [(2, "told"), (2, "till")]),
        ("kept.html", "<p>Whatever it is</p>", [(1, "Whatever"), (1, "kept")]),
    ],
)
def test_a_fault_of_each_sort_is_found(tmp_path: Path, name: str, text: str, expected: list[tuple[int, str]]) -> None:
    file = tmp_path / name
    file.write_text(f"{text}\n", "utf-8")
    assert sorted((fault.line, fault.found) for fault in faults(file)) == sorted(expected)


def test_the_table_of_verbs_names_real_places_and_one_verb_for_each_word() -> None:
    names = [verb.name for verb in verbs()]
    replaced = [word for verb in verbs() for word in verb.instead_of]
    assert len(names) > 10
    assert len({*names, *replaced}) == len(names) + len(replaced)
    assert [part for verb in verbs() for part in verb.only_in if not (HOUSE / part).exists()] == []


@pytest.mark.parametrize(
    ("place", "source", "found"),
    [
        ("store/servers/grants.py", "def drop(self): ...", ["drop (drop)"]),
        ("store/servers/grants.py", "def _drop_all(self): ...", ["_drop_all (drop)"]),
        ("store/servers/grants.py", "def dropped(self): ...", []),
        ("calls/running.py", 'async def remove(self):\n    """Drop a call."""', ["remove (drop)"]),
        ("store/requests/drafts.py", "def forget_draft(): ...", ["forget_draft"]),
        ("store/live/hub.py", "def forget(self): ...", []),
        ("web/api/users.py", "@router.delete('/users')\ndef delete_user(): ...", []),
    ],
)
def test_a_verb_for_another_kind_of_end_is_found(place: str, source: str, found: list[str]) -> None:
    [node] = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    assert [fault.found for fault in faults_of_verb(HOUSE / place, node)] == found
