"""The progress of a call: the newest step by the rules, and the last messages."""

from __future__ import annotations

from math import inf, nan

import pytest

from tests.house import House
from webclient.calls import progress
from webclient.calls.progress import LONGEST, MOST_MESSAGES, CallProgress


def test_falling_and_invalid_values_are_ignored() -> None:
    """MCP 2025-11-25, Progress: the value MUST increase with each notification."""
    found = CallProgress()
    assert found.note(2, 10, None)
    for value in (1, -inf, nan, inf):
        found.note(value, 10, "back")
    assert found.newest == {"progress": 2, "total": 10}
    found.note(3, nan, None)
    assert found.newest == {"progress": 3}
    found.begin()
    found.note(1, None, "again")
    assert found.newest == {"progress": 1, "message": "again"}


def test_a_flood_of_progress_is_bounded_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """MCP 2025-11-25, Progress: both parties SHOULD limit the rate."""
    monkeypatch.setattr(progress, "PAUSE", inf)
    found = CallProgress()
    published = [found.note(n, None, f"{n} " + "x" * 10_000) for n in range(1000)]
    assert published == [True] + [False] * 999
    assert found.newest
    assert found.newest["omitted"] == 1000 - MOST_MESSAGES
    assert [each["text"].split()[0] for each in found.newest["messages"]] == [str(n) for n in range(980, 1000)]
    assert max(len(each["text"]) for each in found.newest["messages"]) <= LONGEST + 1


def test_a_repeated_message_is_kept_once() -> None:
    found = CallProgress()
    for step, message in enumerate(("Reading", "Reading", "Writing")):
        found.note(step, 3, message)
    assert found.newest
    assert [each["text"] for each in found.newest["messages"]] == ["Reading", "Writing"]


@pytest.mark.anyio
async def test_the_messages_of_a_call_are_stored_with_it(shared: House) -> None:
    done = await shared.ended(await shared.call("stdio-push", "progress", {"steps": 3}))
    assert done.progress
    assert [each["text"] for each in done.progress["messages"]] == ["Step 1", "Step 2", "Step 3"]
