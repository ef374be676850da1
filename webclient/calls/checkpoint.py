"""One round of a call as plain data: what the server asked for, and with what the call is made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webclient.inbox import answer_of
from webclient.model import Call, InputRequest, Json, RequestKind, RequestState
from webclient.sameness import is_same


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a call is made again with; the call as it was at first has neither.

    One that is `confidential`, as there may be secrets in it, is not kept: after a restart the call begins anew.
    """

    answers: Json | None = None
    state: str | None = None
    confidential: bool = False

    @property
    def held(self) -> Json:
        """What is kept of it."""
        return {} if self.confidential else {"answers": self.answers, "state": self.state}


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The questions of one round by the server's keys, as they stand; `number` counts from 1.

    `unanswered_before` is how many rounds in a row went before this one in which nobody answered anything.

    They came in a result of 2026-07-28 with its `requestState` as `state`, or in an `error` -32042: then `before` is
    what the server was sent when it said so, and gets once more.
    """

    number: int
    requests: Mapping[str, InputRequest]
    state: str | None = None
    error: Json | None = None
    before: Reply = Reply()
    unanswered_before: int = 0

    @property
    def unanswered_rounds(self) -> int:
        """How many rounds in a row, up to this one, nobody answered: it asked nothing, or nothing that reached them."""
        # A link that was opened in an earlier round is no answer in this one.
        answered = any(each.round == self.number and each.via is not None for each in self.requests.values())
        return 0 if answered else self.unanswered_before + 1

    @property
    def reply(self) -> Reply:
        """What the call is made again with, once everything is answered."""
        if self.error is not None:
            return self.before
        return Reply(
            answers={key: _result(request) for key, request in self.requests.items()},
            state=self.state,
            confidential=any(request.withheld for request in self.requests.values()),
        )

    @property
    def repeatable(self) -> bool:
        """Whether the reply may be sent twice: it says that links were opened, and nothing else."""
        return self.error is None and all(is_opened(request) for request in self.requests.values())

    @property
    def opened(self) -> list[InputRequest]:
        """The links that the person opened."""
        return [request for request in self.requests.values() if is_opened(request)]

    @property
    def open(self) -> list[InputRequest]:
        """What may still move: the questions that wait for the person, and the links where the person is."""
        return [request for request in self.requests.values() if request.pending or is_opened(request)]

    def as_it_stands(self, newest: Sequence[InputRequest]) -> Round:
        """Return the round with these of its requests as they are now."""
        by_id = {request.id: request for request in newest}
        return replace(self, requests={key: by_id.get(each.id, each) for key, each in self.requests.items()})

    def opened_as(self, key: str, asked: Json) -> InputRequest | None:
        """Return the opened link for which `asked`, under the server's `key`, is the very same question, or None.

        It is answered without a card. So whatever differs from what the person saw and agreed to makes another
        question: its key, its link, its message, any other parameter.
        """
        request = self.requests.get(key)
        # Links of an error stand under ids of ours: no answer goes to them.
        if request is None or self.error is not None or not is_opened(request):
            return None
        same = asked.get("method") == "elicitation/create" and is_same(asked.get("params"), request.params)
        return request if same else None

    def again(self, result: Json) -> Round | None:
        """Return the round that `result` asks for if the server still waits for opened links, and for nothing else."""
        same = {key: self.opened_as(key, asked) for key, asked in (result.get("inputRequests") or {}).items()}
        requests = {key: request for key, request in same.items() if request is not None}
        if not requests or len(requests) < len(same):
            return None
        return replace(self, requests=requests, state=result.get("requestState"))

    @property
    def held(self) -> Json:
        """What is kept of the round, so that the call can go on after a restart."""
        return {
            "round": self.number,
            "requests": {key: request.id for key, request in self.requests.items()},
            "state": self.state,
            "error": self.error,
            "before": self.before.held,
            "unanswered_before": self.unanswered_before,
        }


def held_round(call: Call, found: Sequence[InputRequest]) -> Round | None:
    """Return the round that an earlier process left the call in; `found` are the call's requests.

    None if it cannot be known: the process was stopped while it put the questions.
    """
    held = call.held or {}
    by_id = {request.id: request for request in found}
    keys: dict[str, str] = held["requests"]
    if not all(request_id in by_id for request_id in keys.values()):
        return None
    return Round(
        number=held.get("round", call.round),
        requests={key: by_id[request_id] for key, request_id in keys.items()},
        state=held.get("state"),
        error=held.get("error"),
        before=Reply(**held.get("before", {})),
        unanswered_before=held.get("unanswered_before", 0),
    )


def is_opened(request: InputRequest) -> bool:
    """Whether it is a link that the person agreed to open, and did not give up."""
    return request.kind is RequestKind.URL and request.state in (RequestState.WAITING, RequestState.COMPLETED)


def _result(request: InputRequest) -> dict[str, Any]:
    answer = answer_of(request)
    return {"action": answer.action} | ({} if answer.content is None else {"content": answer.content})
