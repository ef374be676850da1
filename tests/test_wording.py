"""Names and sentences follow the rules of plain English; `tests/wording.py` has the rules and lists the faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wording import REPOSITORY, faults, files

NOT_YET: dict[str, int] = {
    "webclient/identity": 2,
    "webclient/inbox": 73,
    "webclient/model": 11,
    "webclient/pages": 32,
    "webclient/protocol": 70,
    "webclient/reasons": 3,
    "webclient/servers": 25,
    "webclient/*.py": 1,
    "templates": 6,
    "docs": 27,
    "tests/api": 6,
    "tests/browser": 42,
    "tests/config_file": 1,
    "tests/consent": 2,
    "tests/demo": 34,
    "tests/forks": 2,
    "tests/forms": 29,
    "tests/http": 5,
    "tests/identity": 1,
    "tests/inbox": 87,
    "tests/live": 1,
    "tests/mcp_servers": 54,
    "tests/model": 53,
    "tests/pages": 36,
    "tests/pictures": 3,
    "tests/protocol": 72,
    "tests/real": 17,
    "tests/reasons": 4,
    "tests/servers": 36,
    "tests/store": 1,
    "tests/*.py": 36,
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
