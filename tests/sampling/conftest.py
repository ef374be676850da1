"""A desk with one model, and a server whose user has set no rule."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.sampling.desk import Desk, Toy
from webclient.store import Store


@pytest.fixture
def toy() -> Toy:
    """The model."""
    return Toy()


@pytest.fixture
async def desk(store: Store, toy: Toy) -> AsyncIterator[Desk]:
    """An inbox with that model."""
    desk = Desk(store, toy, Toy(name="other"))
    yield desk
    await desk.close()
