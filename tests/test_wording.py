"""Names and sentences follow the rules of plain English; `tests/wording.py` has the rules and lists the faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wording import REPOSITORY, faults, files

NOT_YET: dict[str, int] = {
    "webclient/api": 6,
    "webclient/calls": 11,
    "webclient/config_file": 5,
    "webclient/consent": 22,
    "webclient/demo": 46,
    "webclient/http": 9,
    "webclient/identity": 2,
    "webclient/inbox": 77,
    "webclient/live": 8,
    "webclient/model": 11,
    "webclient/pages": 98,
    "webclient/pictures": 9,
    "webclient/protocol": 71,
    "webclient/reasons": 3,
    "webclient/servers": 29,
    "webclient/store": 44,
    "webclient/*.py": 30,
    "templates": 14,
    "docs": 94,
    "README.md": 1,
    "SECURITY.md": 4,
    "CHANGELOG.md": 16,
    "tests/api": 33,
    "tests/browser": 115,
    "tests/calls": 13,
    "tests/config_file": 1,
    "tests/consent": 2,
    "tests/demo": 34,
    "tests/forks": 2,
    "tests/forms": 29,
    "tests/http": 25,
    "tests/identity": 2,
    "tests/inbox": 87,
    "tests/live": 1,
    "tests/mcp_servers": 54,
    "tests/model": 53,
    "tests/pages": 105,
    "tests/pictures": 3,
    "tests/protocol": 73,
    "tests/real": 19,
    "tests/reasons": 4,
    "tests/servers": 34,
    "tests/store": 31,
    "tests/*.py": 67,
    "bench": 7,
}
"""Faults that are still to go, by room. Lower the number, or take out the line, with each room that is reworded."""

PARTS = sorted(
    {
        *(f"{folder}/{each.name}" for folder in ("webclient", "tests") for each in (REPOSITORY / folder).iterdir()),
        *("templates", "docs", "bench", "README.md", "SECURITY.md", "CHANGELOG.md"),
    }
)


def paths(part: str) -> list[Path]:
    """Return the files of a room, a folder or a document."""
    if "*" in part:
        return [path for path in sorted(REPOSITORY.glob(part)) if path in files(path.parent)]
    return [path for path in files(REPOSITORY / part) if path.suffix in (".py", ".md", ".html")]


ROOMS = [part for part in PARTS if not part.endswith(".py") and paths(part)]


@pytest.mark.parametrize("part", [*ROOMS, "webclient/*.py", "tests/*.py"])
def test_names_and_sentences_are_plain_english(part: str) -> None:
    found = [str(fault) for path in paths(part) for fault in faults(path)]
    assert len(found) <= NOT_YET.get(part, 0), "\n".join(found)


def test_a_fault_of_each_sort_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Whoever asks is told."""\n\ndef held(question: int) -> None:\n    """What it is."""\n')
    found = [(fault.line, fault.found) for fault in faults(module)]
    assert found == [(1, "told"), (1, "Whoever"), (3, "held"), (3, "What it is."), (3, "question")]
    document = tmp_path / "page.md"
    document.write_text("It is no date,\nbut it is no longer one; `held` is code.\n\nConnect anew.\n")
    assert [(fault.line, fault.found) for fault in faults(document)] == [(4, "anew"), (1, "is no")]
