"""The patience of an agent: set, learned, or that of the least patient one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from webclient.auth import Scope, new_token
from webclient.domain.model import Person, Server, now
from webclient.gateway import Visit
from webclient.gateway.visit import SHORTEST, UNKNOWN, Patience
from webclient.store import Store

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent() -> Callable[..., Visit]:
    """Return what makes a visit of an agent."""
    server = Server(user_id="ada", label="a", transport={})
    return lambda token_id, seconds=None, **given: Visit(
        user_id="ada", token_id=token_id, label="a", server=server, patience=seconds, leave=lambda: None, **given
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


async def test_learned_patience_is_stronger_than_a_guessed_one(agent: Callable[..., Visit]) -> None:
    patience = Patience()
    assert patience.of(agent("one", guessed=600)) == 600
    assert patience.of(agent("one", guessed=600, learned=30)) == 30
    patience.learn(agent("one", guessed=600, learned=30), 10)
    assert patience.of(agent("one", guessed=600, learned=30)) == 8
    assert patience.of(agent("one", 50, guessed=600, learned=30)) == 50


async def test_an_agent_that_was_sent_away_teaches_nothing(agent: Callable[..., Visit]) -> None:
    patience, visit = Patience(), agent("one")
    visit.ending.cancel()
    patience.learn(visit, 30)
    assert patience.of(visit) == UNKNOWN


async def test_an_agent_gets_a_result_before_its_credential_ends(agent: Callable[..., Visit]) -> None:
    patience = Patience()
    for left, seconds in ((10, 8), (1, SHORTEST), (-5, SHORTEST), (900, 50)):
        visit = agent("one", 50, ends_at=now() + timedelta(seconds=left))
        assert patience.of(visit) == pytest.approx(seconds, abs=0.5)


async def test_the_patience_of_a_token_survives_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    await store.open()
    token, secret = new_token("ada", "Agent", [Scope.GATEWAY])
    of_all, other = new_token("ada", "Chat", [Scope.GATEWAY], user_header="X-User")
    await store.users.recognise(Person(issuer="proxy", subject="ada"))
    for each, word in ((token, secret), (of_all, other)):
        await store.of("ada").tokens.add(each, word)
        await store.program_tokens.learn("ada", each.id, 24)
    await store.program_tokens.learn("bob", token.id, 1)
    saved = {each.id: each.learned_patience for each in await store.of("ada").tokens.all()}
    # One program with that header acts for several users, none of whom sets the patience of the others.
    assert saved == {token.id: 24, of_all.id: None}
    await store.close()
