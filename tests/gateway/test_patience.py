"""The patience of an agent: set, learned, or that of the least patient one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webclient.domain.model import Server
from webclient.gateway import Visit
from webclient.gateway.visit import UNKNOWN, Patience

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent() -> Callable[..., Visit]:
    """Return what makes a visit of an agent."""
    server = Server(user_id="ada", label="a", transport={})
    return lambda token_id, seconds=None: Visit(
        user_id="ada", token_id=token_id, label="a", server=server, patience=seconds, leave=lambda: None
    )


async def test_a_set_patience_is_stronger_than_a_learned_one(agent: Callable[..., Visit]) -> None:
    patience = Patience()
    assert patience.of(agent("one")) == UNKNOWN
    patience.learn(agent("one"), 30)
    assert patience.of(agent("one")) == pytest.approx(24)
    assert patience.of(agent("one", 50)) == 50
    assert patience.of(agent("two")) == UNKNOWN


async def test_an_agent_that_is_ended_at_once_teaches_nothing(agent: Callable[..., Visit]) -> None:
    patience = Patience()
    patience.learn(agent("one"), 0.2)
    assert patience.of(agent("one")) == UNKNOWN
