"""Input requests in the API's JSON, with who asks and how far the answer came."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import Field

from webclient.content.links import Link, Severity
from webclient.domain.approvals import APPROVAL, Verb, decision_of, written_digest
from webclient.domain.model import (
    CallKind,
    Delivery,
    InputRequest,
    Origin,
    ReasonCode,
    RequesterKind,
    RequestState,
    Sampling,
    Stage,
    Via,
    WebhookState,
)
from webclient.inbox import KINDS, kind_of
from webclient.web.api.shapes import Filled, Maybe, Moment, Shape, Verbatim, sentence
from webclient.web.http import shown


class RequesterShape(Shape):
    """The server or program that asks; a program asks through this API, with a token.

    `label` and `address` are known; `claims` is what it says of itself. `token_id` is the token of a program,
    and `embedder` the name of an embedding application that asks itself. `made_by` is the name of the administrator who
    made the token, if that is another user.
    """

    kind: RequesterKind
    label: str
    address: Filled[str] = None
    claims: Maybe[str] = None
    protocol_version: Maybe[str] = None
    token_id: Maybe[str] = None
    embedder: Maybe[str] = None
    made_by: Maybe[str] = None


class WebhookShape(Shape):
    """How far the webhook of a question came; only its program sees it.

    `failure` is the HTTP status of the receiver or a code, `next_at` when the webhook is sent again.
    """

    state: WebhookState
    failures: int
    failure: Filled[str] = None
    next_at: Maybe[Moment] = None
    ended_at: Maybe[Moment] = None


class UsageShape(Shape):
    """The use of a model; `cost` is in `currency`, null if the prices of the model are not known."""

    input_tokens: int
    output_tokens: int
    cost: float | None
    currency: str
    is_estimate: bool


class SamplingShape(Shape):
    """The progress of a sampling request; until it is settled its `stage` is `pending`, `generating` or `reviewing`.

    `conversation` is the id of the first request of a tool loop, `turn` counts its requests, and `seen` is the number
    of messages that were there before this one. `edited` are the parameters as the person changed them. `result` is
    the message under review, `generated` the same as the model gave it, if the person changed it. `choice` says why the
    `model` was chosen, `failure` why there is no message. `by_rule`: the rule of the server sent the request to the
    model; the message went unseen to the server if the `via` of the request is `rule`. `approved_turns` are the further
    turns that the person has approved, and `approved`: this is one of them.
    """

    stage: Maybe[Stage] = None
    conversation: Filled[str] = None
    turn: int
    seen: int
    edited: Maybe[Verbatim] = None
    model: Filled[str] = None
    choice: Maybe[str] = None
    result: Maybe[Verbatim] = None
    generated: Maybe[Verbatim] = None
    usage: Maybe[UsageShape] = None
    failure: Maybe[str] = None
    failure_code: Maybe[ReasonCode] = None
    by_rule: Filled[bool] = None
    approved: Filled[bool] = None
    approved_turns: Filled[int] = None


class DuringShape(Shape):
    """The call during which a server asked; `withheld` names arguments that may be secret and are omitted."""

    kind: CallKind
    name: str
    arguments: Verbatim | None
    withheld: list[str]


class FindingShape(Shape):
    """A warning about a link; a finding of severity `block` prevents accepting it."""

    code: str
    severity: Severity
    message: str


class DecisionShape(Shape):
    """The decision on an approval.

    `arguments` are what may run, null if nothing may; `digest` is that of the tool with them, else that of what was
    proposed. `message` are the person's words, `by` is the id of the user.
    """

    verb: Verb
    arguments: Verbatim | None
    digest: str
    message: Maybe[str] = None
    by: str
    at: Maybe[Moment] = None


class RequestShape(Shape):
    """An input request; `params` are the server's, verbatim, `findings` our warnings about its link.

    `reason` is a sentence on why it has its state, `reason_code` the same for programs.

    `server_label` is the user's own name for the server at that time, `during` the call if it is known;
    otherwise `possible_calls` are the ids of the calls that may have asked. `via` is where the person answered,
    `ended_via` where they finished a link or gave it up.
    `delivery` is the progress of the answer: `saved` while it waits for the others of its round and can be changed,
    `sending` until the server took it, or fetched the answer to a question that it asked as a task, then `delivered`,
    `failed` (the server does not have it) or `unknown` (the server may have it). `withheld` names the values
    of `content` that are no longer stored and are null, `erased_at` is when all were erased. `count` is present if
    the request stands for several that were refused for the same `reason`. `server_id` is absent if a
    program asks. `task_id` is the server's task that asks. `open` is the address of a link that was just accepted.
    `message` is what the person declined with, in their own words. Of an approval, `digest` is that of the tool and the
    arguments that were proposed, and `decision` what the person decided.
    """

    id: str
    kind: Annotated[str, Field(json_schema_extra={"enum": [kind.name for kind in KINDS]})]
    state: RequestState
    reason: Filled[str] = None
    reason_code: Maybe[ReasonCode] = None
    server_id: Maybe[str] = None
    server_label: str
    asked_by: RequesterShape
    call_id: Maybe[str] = None
    possible_calls: Filled[list[str]] = None
    during: Maybe[DuringShape] = None
    round: Maybe[int] = None
    task_id: Maybe[str] = None
    params: Verbatim
    sampling: Maybe[SamplingShape] = None
    findings: Maybe[list[FindingShape]] = None
    content: Maybe[Verbatim] = None
    message: Maybe[str] = None
    digest: Maybe[str] = None
    decision: Maybe[DecisionShape] = None
    via: Maybe[Via] = None
    ended_via: Maybe[Via] = None
    withheld: Filled[list[str]] = None
    erased_at: Maybe[Moment] = None
    delivery: Maybe[Delivery] = None
    webhook: Maybe[WebhookShape] = None
    count: Maybe[int] = None
    expires_at: Maybe[Moment] = None
    created_at: Moment
    opened_at: Maybe[Moment] = None
    settled_at: Maybe[Moment] = None
    open: Maybe[str] = None


class RequestsShape(Shape):
    """A page of input requests, oldest first; `next` is the cursor of the page with older ones."""

    requests: list[RequestShape]
    next: Maybe[str] = None


def request_shape(request: InputRequest, link: Link | None = None, *, whole: bool = False) -> RequestShape:
    """Return the API's JSON of an input request; `link` adds what is known about its link.

    `whole` is for the program that asked: others do not see values of its answer that may be secrets.
    """
    hidden = request.withheld if request.origin is Origin.PROGRAM and not whole else request.gone
    link = link or kind_of(request).link(request)
    return RequestShape.of(
        request,
        reason=shown(request.reason),
        # A program is not a server, so there is no id of one.
        server_id=None if request.asked_by.is_program else request.server_id,
        server_label=request.asked_by.label,
        task_id=request.ids.task_id,
        sampling=request.sampling and _sampling(request.sampling, request.sampling.stage if request.pending else None),
        findings=link and link.findings,
        content=_content(request, hidden),
        # Not while it can be undone.
        message=None if request.pending else request.decline_message,
        digest=written_digest(request.digest) if request.kind == APPROVAL else None,
        decision=_decision(request, hidden),
        withheld=hidden,
        webhook=None,
        count=request.count if request.count > 1 else None,
        open=None,
    )


def _content(request: InputRequest, hidden: Collection[str]) -> Verbatim | None:
    if request.content is None:
        return None
    shown = {name: None if name in hidden else each for name, each in request.content.items()}
    return {"arguments": shown} if request.kind == APPROVAL else shown


def _decision(request: InputRequest, hidden: Collection[str]) -> DecisionShape | None:
    decision = decision_of(request)
    return DecisionShape.model_validate(decision.as_json(hidden)) if decision else None


def _sampling(sampling: Sampling, stage: Stage | None) -> SamplingShape:
    failure = sampling.failure
    return SamplingShape.of(
        sampling,
        stage=stage,
        choice=sampling.choice and shown(sampling.choice),
        failure=failure and sentence(failure),
        failure_code=failure and failure.code,
    )
