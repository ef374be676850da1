"""The rules of sampling: what a server may send, and what a person may answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.inbox.kinds.requests import request_of
from tests.tables import each_row
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.model import Action, Json, Mode, ReasonCode, RequestState, Sampling
from webclient.inbox.kinds import kind_of, recognised
from webclient.inbox.kinds.sampling_messages import fault_in

HELLO: Json = {"type": "text", "text": "Hello"}
PARAMS: Json = {"messages": [{"role": "user", "content": HELLO}], "maxTokens": 100}
TOOL: Json = {
    "name": "weather",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
WITH_TOOL = PARAMS | {"tools": [TOOL]}


def use(use_id: str = "u1", **values: Any) -> Json:
    return {"type": "tool_use", "id": use_id, "name": "weather", "input": {"city": "Bern"}} | values


def result(use_id: str = "u1") -> Json:
    return {"type": "tool_result", "toolUseId": use_id, "content": [HELLO]}


def says(*content: Json, **values: Any) -> Json:
    return {"role": "assistant", "content": list(content), "model": "me"} | values


def test_a_sampling_request_is_recognised_and_has_a_permission() -> None:
    kind = recognised("sampling/createMessage", PARAMS)
    assert (kind.name, kind.mode, kind.mode_off) == ("sampling", Mode.SAMPLING, ReasonCode.SAMPLING_OFF)
    assert kind.fault(PARAMS) is None


@each_row(
    ("turns", "code", "words"),
    [
        ([("assistant", [use()]), ("user", [result()])], None, ""),
        ([("assistant", [use("a"), use("b")]), ("user", [result("b"), result("a")]), ("user", HELLO)], None, ""),
        ([("assistant", [HELLO, use()]), ("user", result())], None, ""),
        (
            [("assistant", [use()]), ("user", [result(), HELLO])],
            ReasonCode.SAMPLING_RESULTS_MIXED,
            "Tool results mixed with other content",
        ),
        (
            [("assistant", [use()]), ("user", HELLO)],
            ReasonCode.SAMPLING_RESULT_MISSING,
            "Tool result missing in request",
        ),
        ([("assistant", [use()])], ReasonCode.SAMPLING_RESULT_MISSING, "Tool result missing in request"),
        (
            [("assistant", [use("a"), use("b")]), ("user", [result("a")]), ("user", [result("b")])],
            ReasonCode.SAMPLING_RESULT_MISSING,
            "Tool result missing in request",
        ),
        ([("user", [use()])], ReasonCode.SAMPLING_WRONG_ROLE, "Only assistants"),
        ([("assistant", [result()])], ReasonCode.SAMPLING_WRONG_ROLE, "Only assistants"),
    ],
)
def test_each_tool_use_has_its_result_next_and_alone(
    turns: list[tuple[str, Any]], code: ReasonCode | None, words: str
) -> None:
    """S7. MCP 2025-11-25 and 2026-07-28, Sampling, Message Content Constraints (MUST) and Error Handling."""
    messages = [PARAMS["messages"][0], *({"role": role, "content": content} for role, content in turns)]
    fault = fault_in(PARAMS | {"messages": messages})
    assert (fault and fault.reason.code) == code
    assert words in (fault.message if fault else "")


@each_row(
    ("changed", "place"),
    [
        ({"messages": [{"role": "system", "content": HELLO}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": "Hello"}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": [{"type": "film"}]}]}, "messages.0.content.0"),
        ({"messages": [{"role": "user", "content": {"type": "tool_result", "toolUseId": "u"}}]}, "content"),
        ({"messages": 7}, "messages"),
        ({"maxTokens": 1.5}, "maxTokens"),
        ({"maxTokens": 0}, "maxTokens"),
        ({"maxTokens": None}, "maxTokens"),
        ({"toolChoice": {"mode": "always"}}, "toolChoice.mode"),
        ({"includeContext": "everything"}, "includeContext"),
        ({"tools": [{"name": "weather"}]}, "tools.0.inputSchema"),
        ({"modelPreferences": {"speedPriority": 2}}, "speedPriority"),
        ({"metadata": []}, "metadata"),
    ],
)
def test_a_malformed_request_is_refused_with_its_place(changed: Json, place: str) -> None:
    """S10. MCP 2026-07-28, Sampling, Security: both parties SHOULD validate message content."""
    fault = fault_in(PARAMS | changed)
    assert fault
    assert place in fault.message
    assert "_Text" not in fault.message


def test_every_parameter_of_the_protocol_is_taken() -> None:
    everything = WITH_TOOL | {
        "modelPreferences": {"hints": [{"name": "small"}, {}], "costPriority": 0, "speedPriority": 1.0},
        "systemPrompt": "Be brief.",
        "includeContext": "allServers",
        "temperature": 1,
        "stopSequences": ["END"],
        "metadata": {"a": [1]},
        "toolChoice": {},
        "task": {"ttl": 1},
        "_meta": {"progressToken": 1},
        "later": True,
    }
    assert fault_in(everything) is None


@each_row(
    ("params", "given", "wrong"),
    [
        (PARAMS, says(HELLO), []),
        (PARAMS, says(HELLO, {"type": "image", "data": "aGk=", "mimeType": "image/png"}, stopReason="anything"), []),
        (PARAMS, says(HELLO, role="user"), [""]),
        (PARAMS, {"content": HELLO, "model": "me"}, [""]),
        (PARAMS, says(), ["content"]),
        (PARAMS, says(result()), ["content"]),
        (PARAMS, says(use()), ["content"]),
        (WITH_TOOL | {"toolChoice": {"mode": "none"}}, says(use()), ["content"]),
        (WITH_TOOL | {"toolChoice": {"mode": "required"}}, says(HELLO), ["content"]),
        (WITH_TOOL | {"toolChoice": {"mode": "required"}}, says(HELLO, use()), []),
        (WITH_TOOL, says(use("a"), use("b"), stopReason="toolUse"), []),
        (WITH_TOOL, says(use("a"), use("a")), ["content"]),
        (WITH_TOOL, says(use(name="delete")), ["content.0.name"]),
        (WITH_TOOL, says(HELLO, use(input={"city": 7})), ["content.1.input.city"]),
        (WITH_TOOL, says(use(input={})), ["content.0.input.city"]),
    ],
)
def test_a_message_is_checked_against_its_request(params: Json, given: Json, wrong: list[str]) -> None:
    """S3, S10. Uses of tools name one of the request, and their input fits its `inputSchema`."""
    request = request_of("sampling", params)
    kind = kind_of(request)
    if not wrong:
        assert kind.check(request, Action.ACCEPT, given).content
        return
    with pytest.raises(InvalidAnswerError) as refused:
        kind.check(request, Action.ACCEPT, given)
    assert list(refused.value.errors) == wrong


def test_a_single_block_stands_alone_if_there_are_no_tools() -> None:
    """Servers that offer no tools often read no list; MCP has both forms for the same."""
    request = request_of("sampling", PARAMS)
    assert kind_of(request).check(request, Action.ACCEPT, says(HELLO)).content == says() | {"content": HELLO}
    request = request_of("sampling", WITH_TOOL)
    assert kind_of(request).check(request, Action.ACCEPT, says(HELLO)).content == says(HELLO)


def test_a_request_is_not_accepted_without_a_message() -> None:
    request = request_of("sampling", PARAMS)
    with pytest.raises(InvalidAnswerError):
        kind_of(request).check(request, Action.ACCEPT)


def test_only_an_accepted_request_has_a_result() -> None:
    """S8, S9. A decline has no result: an error in 2025-11-25, the end of the call in 2026-07-28."""
    message = says(HELLO)
    request = request_of("sampling", PARAMS, content=message)
    for state in RequestState:
        given = kind_of(request).result(request_of("sampling", PARAMS, content=message, state=state))
        assert given == (message if state is RequestState.ACCEPTED else None)


def test_the_excerpt_of_a_broken_request_is_text() -> None:
    kind = kind_of(request_of("sampling", {}))
    assert kind.excerpt(PARAMS) == {"message": "Hello", "systemPrompt": ""}
    for params in ({}, {"messages": 7}, {"messages": [7]}, {"messages": [{"content": [7, {"text": 7}]}]}):
        assert kind.excerpt(params | {"systemPrompt": 7}) == {"message": "", "systemPrompt": ""}


ANSWER = says(use("u1"))
HISTORY = [PARAMS["messages"][0], {"role": "assistant", "content": ANSWER["content"]}]
RESULTS = {"role": "user", "content": [result("u1")]}


@pytest.mark.parametrize(
    ("messages", "turn", "seen"),
    [
        ([*HISTORY, RESULTS], 2, 2),
        ([*HISTORY[:1], {"role": "user", "content": HELLO}], 2, 1),
        ([{"role": "user", "content": {"type": "text", "text": "Shortened"}}, HISTORY[1], RESULTS], 2, 2),
        ([{"role": "user", "content": {"type": "text", "text": "Another"}}], 1, 0),
        (PARAMS["messages"], 1, 0),
    ],
)
def test_a_request_is_placed_in_its_conversation(messages: list[Json], turn: int, seen: int) -> None:
    """MCP 2025-11-25, Sampling, Multi-turn Tool Loop: the server asks again with the whole history."""
    first = request_of("sampling", WITH_TOOL, content=ANSWER, state=RequestState.ACCEPTED)
    first = kind_of(first).placed(first, [])
    following = request_of("sampling", WITH_TOOL | {"messages": messages})
    place = kind_of(following).placed(following, [first]).sampling
    assert place
    assert (place.turn, place.seen) == (turn, seen)
    assert place.conversation == (first.id if turn > 1 else following.id)


@pytest.mark.parametrize(("tools", "approved"), [([TOOL], True), ([TOOL | {"description": "x"}], False), ([], False)])
def test_approved_turns_end_when_the_tools_change(tools: list[Json], approved: bool) -> None:
    first = request_of("sampling", WITH_TOOL, content=ANSWER, state=RequestState.ACCEPTED)
    first = replace(first, sampling=Sampling(conversation=first.id, model="toy", approved_turns=2))
    following = request_of("sampling", WITH_TOOL | {"messages": [*HISTORY, RESULTS], "tools": tools})
    place = kind_of(following).placed(following, [first]).sampling
    assert place
    assert (place.approved, place.approved_turns, place.model) == (approved, int(approved), "toy" if approved else "")
