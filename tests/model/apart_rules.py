"""Rules for one user after agents, restarts and revoked tokens: each yields a line for each violation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from tests.model.testimony import Testimony
from webclient.domain.model import Json

JUST = timedelta(seconds=5)
"""A call that began within this time after another one had asked may have been on its way before, on a busy machine."""


def broken(
    user: str,
    calls: Sequence[Json],
    requests: Sequence[Json],
    results: Collection[tuple[str, Json]],
    testimonies: Sequence[Testimony],
) -> Iterator[str]:
    """Yield each violation; `results` pairs the id of a token with a result that its agent got."""
    by_call = defaultdict(list)
    for request in requests:
        by_call[request.get("call_id")].append(request)
    yield from _requests_once(calls, by_call)
    yield from _own_results(user, {call["id"]: call for call in calls}, requests, results)
    yield from _ran_once(user, calls, requests, testimonies)


def _requests_once(calls: Sequence[Json], by_call: Mapping[str | None, Sequence[Json]]) -> Iterator[str]:
    equal = defaultdict(list)
    for call in calls:
        of_call = by_call.get(call["id"], ())
        if len(of_call) > 1:
            yield f"call {call['id']} asked {len(of_call)} times: {of_call}"
        equal[call["via"]["token_id"], call["server_id"], call["arguments"]["tag"]].append((call, of_call))
    for group in equal.values():
        for call, of_call in group:
            for other, _requests in group:
                if other is not call and any(_is_open(each, other) for each in of_call):
                    yield f"call {other['id']} began while the equal call {call['id']} asked: {other} {of_call}"


def _is_open(request: Json, call: Json) -> bool:
    """Whether a question was open when a call began."""
    began = _moment(call["created_at"])
    return _moment(request["created_at"]) + JUST < began < _moment(request["settled_at"])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _own_results(
    user: str, calls: Mapping[str, Json], requests: Sequence[Json], results: Collection[tuple[str, Json]]
) -> Iterator[str]:
    by_message = {request["params"]["message"]: request for request in requests}
    for token_id, result in results:
        for message, answer in result["said"].items():
            request = by_message.get(message)
            if request is None or answer.get("content", {}).get("name") not in (None, f"{user} {request['id']}"):
                yield f"an agent of {user} got {result}, and the question is {request}"
            # A question over stdio, during several calls, names none of them.
            elif (call_id := request.get("call_id")) and calls[call_id]["via"]["token_id"] != token_id:
                yield f"the agent {token_id} got {result}, of {calls[call_id]}"


def _ran_once(
    user: str, calls: Sequence[Json], requests: Sequence[Json], testimonies: Sequence[Testimony]
) -> Iterator[str]:
    answers = {message: given for each in testimonies for message, given in each.answers.items()}
    for request in requests:
        given = answers.get(request["params"]["message"], [])
        accepted = [each for each in given if each.get("action") == "accept"]
        if len(accepted) > 1:
            yield f"{request['id']} was answered {len(accepted)} times: {accepted}"
        if any(each["content"]["name"] != f"{user} {request['id']}" for each in accepted):
            yield f"{request['id']} of {user} was answered with {accepted}"
        if accepted and request["state"] != "accepted":
            yield f"{request['id']} is {request['state']}, and its server got {accepted}"
        # An answer that crosses with a withdrawal arrives, and its server ignores it.
        if request.get("delivery") == "delivered" and not given:
            yield f"{request['id']} is shown as delivered, and its server got {given}"
    results = [message for call in calls for message in _said(call)]
    for message in results:
        if results.count(message) > 1:
            yield f"{message} is in the results of several calls"
        if not answers.get(message):
            yield f"{message} is in a result, and no server got its answer"


def _said(call: Json) -> Collection[str]:
    content = (call.get("result") or {}).get("structuredContent") or {}
    return list(content.get("said", ()))
