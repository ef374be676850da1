"""Fixtures of the tests of pages; each module has its own `served`, the program with the servers that it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.pages.person import Person
from tests.program import Program


@pytest.fixture
async def person(served: Program) -> AsyncIterator[Person]:
    """A person who is signed in."""
    async with Person(served) as person:
        yield person
