"""Where a sampling request stands is changed by one at a time, and the use of models is summed by day."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from tests.inbox.test_inbox import form_request
from webclient.domain.model import (
    Delivery,
    Reason,
    ReasonCode,
    RequestState,
    Sampling,
    SamplingRule,
    Server,
    Stage,
    Usage,
    now,
)
from webclient.store import Store

pytestmark = pytest.mark.anyio

EVERYTHING = Sampling(
    stage=Stage.REVIEWING,
    conversation="c",
    turn=2,
    seen=3,
    edited={"a": 1},
    model="toy",
    choice=Reason.of(ReasonCode.TOO_MANY_PENDING, n=1),
    result={"b": 2},
    generated={"c": 3},
    usage=Usage(input_tokens=1, output_tokens=2, cost=0.5, currency="EUR"),
    failure=Reason(ReasonCode.MALFORMED),
    by_rule=True,
    approved=True,
    approved_turns=4,
    started_at=now(),
)


async def test_a_sampling_is_stored_whole(store: Store) -> None:
    request = form_request(kind="sampling", sampling=EVERYTHING)
    await store.of(request.user_id).requests.add(request)
    assert (await store.of(request.user_id).requests.get(request.id)).sampling == EVERYTHING
    assert Sampling.from_json(EVERYTHING.to_json() | {"later": True}) == EVERYTHING


async def test_of_several_changes_of_a_stage_one_wins(store: Store) -> None:
    request = form_request(kind="sampling", sampling=Sampling())
    rows = store.of(request.user_id)
    await rows.requests.add(request)
    working = Sampling(stage=Stage.GENERATING)
    changed = await asyncio.gather(*(rows.samplings.change(request.id, working, [Stage.PENDING]) for _ in range(4)))
    assert sorted(each is not None for each in changed) == [False, False, False, True]
    assert await store.of("another").samplings.change(request.id, working, tuple(Stage)) is None
    await rows.requests.settle(request.id, to=RequestState.DECLINED)
    assert await rows.samplings.change(request.id, working, tuple(Stage)) is None


async def test_usage_is_summed_for_each_server_and_currency(store: Store) -> None:
    for server_id in ("s1", "s2"):
        transport = {"type": "http", "url": "http://127.0.0.1:9/"}
        await store.of("ada").servers.add(Server(id=server_id, user_id="ada", label="it", transport=transport))
    rows = store.of("ada").samplings
    await rows.spend("s1", Usage(input_tokens=1, output_tokens=2, cost=0.5, currency="EUR"))
    await rows.spend("s1", Usage(input_tokens=10, cost=1.0, currency="USD"))
    spent = await rows.spend("s1", Usage(output_tokens=4, cost=0.25, currency="EUR"))
    assert (spent.requests, spent.tokens, spent.costs) == (3, 17, {"EUR": 0.75, "USD": 1.0})
    assert await rows.spent("s1") == spent
    assert (await rows.spent("s2")).requests == 0
    assert (await store.of("another").samplings.spent("s1")).requests == 0


async def test_the_rule_of_a_server_is_stored(store: Store) -> None:
    rule = SamplingRule(approve=True, unseen=True, turns=3, requests=4, tokens=5, cost=0.5, model="toy")
    server = Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1:9/"}, sampling=rule)
    await store.of("ada").servers.add(server)
    assert (await store.of("ada").servers.get(server.id)).sampling == rule
    await store.of("ada").samplings.spend(server.id, Usage(output_tokens=1))
    await store.of("ada").servers.remove([server.id])
    assert (await store.of("ada").samplings.spent(server.id)).requests == 0


def test_a_rule_without_limits_is_not_the_default() -> None:
    """S10. Clients SHOULD implement rate limiting: there are limits until the person removes them."""
    unlimited = SamplingRule(requests=None, tokens=None)
    assert SamplingRule.from_json(unlimited.to_json()) == unlimited
    assert SamplingRule().requests
    assert SamplingRule().tokens
    assert SamplingRule().to_json() == {}


async def test_a_saved_message_comes_back_for_review(store: Store) -> None:
    rows = store.of("ada")
    request = form_request(kind="sampling", sampling=Sampling(conversation="c"))
    await rows.requests.add(request)
    message = {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "me"}
    await rows.requests.settle(request.id, to=RequestState.ACCEPTED, content=message, delivery=Delivery.SAVED)
    reopened = await rows.rounds.reopen(request.id, {}, None)
    assert reopened
    assert reopened.sampling
    assert (reopened.pending, reopened.content) == (True, None)
    assert (reopened.sampling.stage, reopened.sampling.result) == (Stage.REVIEWING, message)


async def test_messages_of_old_requests_are_erased(store: Store) -> None:
    """S10, S12. Sensitive data: what people, models and tools wrote is erased with the values of the history."""
    rows = store.of("ada")
    params = {"messages": [{"role": "user", "content": {"type": "text", "text": "secret"}}], "systemPrompt": "secret"}
    request = form_request(kind="sampling", params=params | {"maxTokens": 1}, sampling=EVERYTHING)
    await rows.requests.add(request)
    await rows.requests.settle(request.id, to=RequestState.ACCEPTED, content={"model": "me", "content": "secret"})
    await store.system.erase_values(now() + timedelta(days=1))
    erased = await rows.requests.get(request.id)
    assert erased.erased_at
    assert "secret" not in str(erased)
    assert erased.sampling
    assert (erased.params, erased.sampling.edited, erased.sampling.turn) == ({"messages": [], "maxTokens": 1}, None, 2)
