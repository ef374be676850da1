"""The stages of a sampling request, each in the hands of a person, or of the rule that they set."""

from __future__ import annotations

import asyncio

import pytest

from tests.answering import answer
from tests.sampling.desk import PARAMS, TOOL, USER, Desk, Toy, says, soon, uses
from webclient.domain.errors import AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError
from webclient.domain.model import Action, Json, Reason, ReasonCode, RequestState, Sampling, SamplingRule, Stage, Via
from webclient.inbox import check_answer
from webclient.store import Store

pytestmark = pytest.mark.anyio

UNSEEN = SamplingRule(approve=True, unseen=True)
DONE = Reason(ReasonCode.WITHDRAWN)


async def test_a_message_is_reviewed_before_it_is_sent(desk: Desk, toy: Toy) -> None:
    """S3. MCP 2025-11-25, Sampling, User Interaction Model: prompts and responses SHOULD be reviewed."""
    await desk.open()
    request = await desk.put()
    begun = await desk.samplings.generate(request)
    assert begun.sampling
    assert (begun.sampling.stage, begun.sampling.model) == (Stage.GENERATING, "toy")
    await soon(toy.started.wait())
    assert desk.samplings.so_far(request.id) == "Well"
    toy.go.set()
    reviewed = await desk.at(request, Stage.REVIEWING)
    assert (reviewed.result, reviewed.generated, reviewed.usage and reviewed.usage.cost) == (says(), says(), 5.0)
    newest = await desk.newest(request)
    assert (newest.pending, newest.content) == (True, None)
    await desk.inbox.answer(await check_answer(newest, Action.ACCEPT))
    settled = await desk.newest(request)
    assert (settled.state, settled.content) == (RequestState.ACCEPTED, says())
    assert desk.samplings.so_far(request.id) == ""


async def test_a_model_gets_the_request_as_it_was_edited(desk: Desk, toy: Toy) -> None:
    """S3, S5, S6. Users SHOULD be able to edit prompts; maxTokens is respected, and may be lowered."""
    await desk.open()
    request = await desk.put(PARAMS | {"tools": [TOOL], "includeContext": "allServers", "_meta": {"progressToken": 1}})
    edited = PARAMS | {"systemPrompt": "Be kind.", "maxTokens": 50}
    changed = await desk.samplings.edit(request, edited)
    assert changed.sampling
    assert changed.sampling.edited == edited
    toy.go.set()
    await desk.samplings.generate(changed)
    await desk.at(request, Stage.REVIEWING)
    assert toy.given == [edited]
    assert (await desk.newest(request)).params["systemPrompt"] == "Be brief.", "what the server sent stays"
    back = await desk.samplings.edit(await desk.newest(request), None)
    assert back.sampling
    assert (back.sampling.edited, back.sampling.stage, back.sampling.result) == (None, Stage.PENDING, None)


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"maxTokens": 101}, "maxTokens"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": "x"}]}, ""),
        ({"tools": [TOOL | {"name": "other"}]}, "tools"),
        ({"tools": [TOOL | {"description": "changed"}]}, "tools"),
        ({"tools": [], "toolChoice": {"mode": "required"}}, "tools"),
    ],
)
async def test_a_forbidden_edit_is_refused_with_its_place(desk: Desk, changed: Json, place: str) -> None:
    """S5. MCP 2026-07-28, Sampling: clients MUST respect maxTokens; no tool of ours is ever added."""
    await desk.open()
    request = await desk.put(PARAMS | {"tools": [TOOL]})
    with pytest.raises(InvalidAnswerError) as refused:
        await desk.samplings.edit(request, request.params | changed)
    assert list(refused.value.errors) == [place]


async def test_a_reviewed_message_can_be_changed_and_run_again(desk: Desk, toy: Toy) -> None:
    """S3. The person edits the response, or runs the request again with another model."""
    await desk.open()
    request = await desk.put()
    toy.go.set()
    await desk.samplings.generate(request)
    await desk.at(request, Stage.REVIEWING)
    revised = await desk.samplings.revise(await desk.newest(request), says("Good day"))
    assert revised.sampling
    assert (revised.sampling.result, revised.sampling.generated) == (says("Good day"), says())
    with pytest.raises(InvalidAnswerError):
        await desk.samplings.revise(revised, uses())
    begun = await desk.samplings.generate(revised, "other")
    assert begun.sampling
    assert (begun.sampling.model, begun.sampling.result) == ("other", None)
    stopped = await desk.samplings.stop(begun)
    assert stopped.sampling
    assert (stopped.sampling.stage, stopped.pending) == (Stage.PENDING, True)


async def test_a_second_click_starts_no_second_model(desk: Desk, toy: Toy) -> None:
    await desk.open()
    request = await desk.put()
    begun = await asyncio.gather(*(desk.samplings.generate(request) for _ in range(3)), return_exceptions=True)
    assert [type(each).__name__ for each in begun].count("ConflictError") == 2
    await soon(toy.started.wait())
    assert len(toy.given) == 1
    for act in (desk.samplings.edit(request, None), desk.samplings.revise(request, says())):
        with pytest.raises(ConflictError):
            await act


async def test_a_failed_model_leaves_the_request_to_the_person(desk: Desk, toy: Toy) -> None:
    """Section 6.8 of the facts: the error of a provider is for the person, and nothing of it for the server."""
    await desk.open()
    request = await desk.put()
    toy.fails = Reason(ReasonCode.SAMPLING_FAILED)
    toy.go.set()
    await desk.samplings.generate(request)
    failed = await desk.until(request, lambda row: bool(row.sampling and row.sampling.failure))
    assert failed.sampling
    assert (failed.pending, failed.sampling.stage, failed.content) == (True, Stage.PENDING, None)


@pytest.mark.parametrize("end", ["withdrawn", "by hand", "declined"])
async def test_the_end_of_a_request_stops_its_model(desk: Desk, toy: Toy, end: str) -> None:
    """A model that goes on costs money; what it has used is counted."""
    await desk.open()
    request = await desk.put()
    await desk.samplings.generate(request)
    await soon(toy.started.wait())
    match end:
        case "withdrawn":
            await desk.inbox.settle(request, RequestState.WITHDRAWN, DONE)
        case "by hand":
            await answer(desk.inbox, USER, request.id, Action.ACCEPT, says("Mine"))
        case "declined":
            await answer(desk.inbox, USER, request.id, Action.DECLINE)
    await desk.idle()
    assert toy.stopped == 1
    spent = await desk.samplings.spent(USER, desk.server.id)
    assert (spent.requests, spent.tokens > 0) == (1, True)
    with pytest.raises(AlreadySettledError):
        await desk.samplings.generate(await desk.newest(request))


async def test_a_restart_falls_back_to_the_person(store: Store, desk: Desk, toy: Toy) -> None:
    await desk.open()
    request = await desk.put()
    await desk.samplings.generate(request)
    await soon(toy.started.wait())
    await desk.close()
    assert toy.stopped == 1
    next_desk = Desk(store, Toy())
    await next_desk.samplings.resume()
    newest = await next_desk.newest(request)
    assert newest.sampling
    assert (newest.pending, newest.sampling.stage) == (True, Stage.PENDING)
    assert newest.sampling.failure == Reason(ReasonCode.SAMPLING_INTERRUPTED)
    await next_desk.close()


async def test_without_a_rule_no_model_runs(desk: Desk, toy: Toy) -> None:
    """S3: a person is asked for each request unless the user said otherwise."""
    await desk.open()
    request = await desk.put()
    await desk.samplings.close()
    newest = await desk.newest(request)
    assert (toy.given, newest.sampling and newest.sampling.stage) == ([], Stage.PENDING)


async def test_a_rule_that_approves_still_shows_the_message(desk: Desk, toy: Toy) -> None:
    await desk.open(SamplingRule(approve=True))
    request = await desk.put()
    toy.go.set()
    reviewed = await desk.at(request, Stage.REVIEWING)
    assert (reviewed.by_rule, (await desk.newest(request)).pending) == (True, True)


async def test_a_rule_may_send_the_message_unseen_and_says_so(desk: Desk, toy: Toy) -> None:
    await desk.open(UNSEEN)
    toy.go.set()
    settled = await desk.settled(await desk.put())
    assert (settled.state, settled.via, settled.content) == (RequestState.ACCEPTED, Via.RULE, says())


async def test_the_rule_never_answers_anything_but_sampling(desk: Desk, toy: Toy) -> None:
    """Nothing is accepted on a person's behalf: for elicitation, without exception."""
    await desk.open(UNSEEN)
    toy.go.set()
    form = await desk.put({"message": "Well?", "requestedSchema": {"type": "object", "properties": {}}}, kind="form")
    link = await desk.put({"message": "Go", "mode": "url", "url": "https://example.com"}, kind="url")
    await desk.settled(await desk.put())
    assert len(toy.given) == 1
    for request in (form, link):
        assert (await desk.newest(request)).pending
        for act in (desk.samplings.edit(request, None), desk.samplings.generate(request), desk.samplings.stop(request)):
            with pytest.raises(ConflictError):
                await act


async def test_a_message_with_a_fault_is_never_sent_unseen(desk: Desk, toy: Toy) -> None:
    await desk.open(UNSEEN)
    toy.answer = uses(name="delete")
    toy.go.set()
    request = await desk.put(PARAMS | {"tools": [TOOL]})
    await desk.at(request, Stage.REVIEWING)
    await desk.samplings.close()
    assert (await desk.newest(request)).pending


async def test_a_rule_that_was_changed_meanwhile_sends_nothing(desk: Desk, toy: Toy) -> None:
    await desk.open(UNSEEN)
    request = await desk.put()
    await soon(toy.started.wait())
    await desk.ruled(SamplingRule(approve=True))
    toy.go.set()
    await desk.at(request, Stage.REVIEWING)
    await desk.samplings.close()
    assert (await desk.newest(request)).pending


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (SamplingRule(approve=True, requests=1), ReasonCode.SAMPLING_REQUEST_LIMIT),
        (SamplingRule(approve=True, tokens=5), ReasonCode.SAMPLING_TOKEN_LIMIT),
        (SamplingRule(approve=True, cost=5.0), ReasonCode.SAMPLING_COST_LIMIT),
    ],
)
async def test_a_limit_leaves_the_next_request_to_the_person(
    desk: Desk, toy: Toy, rule: SamplingRule, code: ReasonCode
) -> None:
    """S10. Clients SHOULD implement rate limiting: requests, tokens and cost of a day, for each server."""
    await desk.open(SamplingRule(approve=True))
    toy.go.set()
    await desk.at(await desk.put(), Stage.REVIEWING)
    await desk.ruled(rule)
    request = await desk.put()
    limited = await desk.until(request, lambda row: bool(row.sampling and row.sampling.failure))
    assert limited.sampling
    assert (limited.sampling.failure and limited.sampling.failure.code, limited.sampling.stage) == (code, Stage.PENDING)
    with pytest.raises(ConflictError) as refused:
        await desk.samplings.generate(limited)
    assert refused.value.reason
    assert refused.value.reason.code is code
    await answer(desk.inbox, USER, request.id, Action.ACCEPT, says("Mine"))


async def test_a_limit_counts_what_is_running(desk: Desk) -> None:
    await desk.open(SamplingRule(requests=1))
    first, second = await desk.put(), await desk.put()
    begun = await asyncio.gather(*(desk.samplings.generate(each) for each in (first, second)), return_exceptions=True)
    assert sorted(type(each).__name__ for each in begun) == ["ConflictError", "InputRequest"]


async def test_the_person_can_extend_a_conversation(desk: Desk) -> None:
    """S10. Both parties SHOULD limit the iterations of tool loops: 25 turns, unless the person goes on."""
    await desk.open()
    request = await desk.put(sampling=Sampling(conversation="c", turn=26))
    with pytest.raises(ConflictError) as refused:
        await desk.samplings.generate(request)
    assert refused.value.reason == Reason.of(ReasonCode.SAMPLING_TURN_LIMIT, n=25)
    begun = await desk.samplings.generate(request, extend=True)
    assert begun.sampling
    assert begun.sampling.stage is Stage.GENERATING


async def test_a_turn_that_was_approved_before_is_run_and_shown(desk: Desk, toy: Toy) -> None:
    await desk.open()
    toy.go.set()
    request = await desk.put(sampling=Sampling(conversation="c", turn=2, model="toy", approved=True))
    reviewed = await desk.at(request, Stage.REVIEWING)
    assert (reviewed.approved, reviewed.by_rule, reviewed.model) == (True, False, "toy")
    assert (await desk.newest(request)).pending


async def test_without_models_the_person_is_the_model(store: Store) -> None:
    desk = Desk(store)
    await desk.open(UNSEEN)
    request = await desk.put()
    with pytest.raises(ConflictError) as refused:
        await desk.samplings.generate(request)
    assert refused.value.reason == Reason(ReasonCode.SAMPLING_NO_MODEL)
    await answer(desk.inbox, USER, request.id, Action.ACCEPT, says("Mine"))
    await desk.close()


async def test_an_unknown_model_is_not_replaced_by_another(desk: Desk) -> None:
    await desk.open()
    with pytest.raises(NotFoundError):
        await desk.samplings.generate(await desk.put(), "gone")


async def test_the_model_of_the_rule_is_used_while_it_exists(desk: Desk) -> None:
    await desk.open(SamplingRule(model="other"))
    begun = await desk.samplings.generate(await desk.put())
    assert begun.sampling
    assert begun.sampling.model == "other"
    await desk.ruled(SamplingRule(model="gone"))
    begun = await desk.samplings.generate(await desk.put())
    assert begun.sampling
    assert (begun.sampling.model, bool(begun.sampling.choice)) == ("toy", True)
