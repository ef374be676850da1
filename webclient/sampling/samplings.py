"""The stages of sampling requests: edited, sent to a model, reviewed, run again; each is stored before it is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial

import anyio

from webclient.domain.errors import (
    AlreadySettledError,
    ConflictError,
    InvalidAnswerError,
    NotFoundError,
    WebclientError,
)
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    Action,
    InputRequest,
    Json,
    Reason,
    ReasonCode,
    Sampling,
    SamplingRule,
    Server,
    Spent,
    Stage,
    Usage,
    Via,
    now,
)
from webclient.inbox import Inbox, already_settled, answer_errors, as_sent, check_answer
from webclient.sampling.edits import checked_edit, for_model
from webclient.sampling.llm import Done, ModelFailedError, ModelInfo, Models
from webclient.sampling.run import Run
from webclient.store import StorageError, Store
from webclient.store.live import Hub
from webclient.support.background import CancellableTask
from webclient.support.schema_thread import run_schema_work

logger = logging.getLogger(__name__)

KIND = "sampling"
"""The only kind of request that is touched here."""

_WITH_PERSON = (Stage.PENDING, Stage.REVIEWING)
"""The stages in which the person decides what happens next."""


class Samplings:
    """The sampling requests of all users, and the models that work for them in this process."""

    def __init__(self, store: Store, hub: Hub, inbox: Inbox, models: Models) -> None:
        self._store = store
        self._hub = hub
        self._inbox = inbox
        self._models = models
        self._runs: dict[str, Run] = {}
        self._tasks: dict[str, CancellableTask] = {}
        self._by_rule: set[CancellableTask] = set()
        # One at a time: the limits count what begins as well.
        self._beginning = asyncio.Lock()
        inbox.on_put.append(self._came)

    async def edit(self, request: InputRequest, params: Json | None) -> InputRequest:
        """Save the parameters as the person changed them; None is as the server sent them.

        A message under review is dropped, because it answers another request. Raises InvalidAnswerError for what may
        not be changed, AlreadySettledError, and ConflictError while a model works.
        """
        sampling = _of(request)
        edited = None if params is None else checked_edit(request.params, params)
        changed = _back(sampling, edited=edited, failure=None)
        return await self._change(request, changed, _WITH_PERSON)

    async def revise(self, request: InputRequest, result: Json) -> InputRequest:
        """Save the message under review as the person changed it.

        Raises InvalidAnswerError, AlreadySettledError, and ConflictError if there is none.
        """
        sampling = _of(request)
        if sampling.stage is not Stage.REVIEWING:
            raise ConflictError(Reason(ReasonCode.SAMPLING_NOT_REVIEWED))
        if errors := await self._errors(request, result):
            raise InvalidAnswerError(_("The message does not fit the request."), errors)
        sent = as_sent(request.params, result)
        return await self._change(request, replace(sampling, result=sent), [Stage.REVIEWING])

    async def generate(
        self, request: InputRequest, model_id: str = "", *, extend: bool = False, approve_turns: int = 0
    ) -> InputRequest:
        """Send a request, as it was edited, to a model; without an id to the one that fits best.

        A message under review is replaced. `extend` lets the conversation go on beyond its limit of turns;
        `approve_turns` approves that many further turns, as long as the tools stay the same. Raises NotFoundError for
        an unknown model, AlreadySettledError, and ConflictError without a model, at a limit, or while one works.
        """
        begun = replace(_of(request), by_rule=False, approved_turns=approve_turns)
        rule = (await self._server(request)).sampling
        return await self._begin(request, begun, rule, model_id, extend=extend)

    async def stop(self, request: InputRequest) -> InputRequest:
        """Stop the model, or drop the message under review; the request waits for the person again.

        Raises AlreadySettledError.
        """
        if task := self._tasks.get(request.id):
            task.stop()
            await task.ended()
            request = await self._store.of(request.user_id).requests.get(request.id)
        return await self._change(request, _back(_of(request), failure=None), tuple(Stage))

    async def spent(self, user_id: str, server_id: str) -> Spent:
        """Return what the server has used today, with the most that running models may use."""
        return self._with_running(await self._store.of(user_id).samplings.spent(server_id), server_id)

    def so_far(self, request_id: str) -> str:
        """Return the text that a model has written so far; "" if none works for the request."""
        run = self._runs.get(request_id)
        return run.text if run else ""

    async def resume(self, user_id: str | None = None) -> None:
        """Return to the person what a model worked on in an earlier process; of one user, or of all."""
        left = [each for each in await self._store.system.generating(user_id) if each.id not in self._runs]
        for request in left:
            back = _back(_of(request), failure=Reason(ReasonCode.SAMPLING_INTERRUPTED))
            with suppress(WebclientError):
                await self._change(request, back, [Stage.GENERATING])

    async def idle(self) -> None:
        """Wait until all models that work now have ended, and what they used is counted."""
        await asyncio.gather(*(task.ended() for task in [*self._by_rule, *self._tasks.values()]))

    async def close(self) -> None:
        """Stop all models, because this program stops; `resume` of the next process does the rest."""
        for task in [*self._by_rule, *self._tasks.values()]:
            task.stop()
        await self.idle()

    def _came(self, request: InputRequest) -> None:
        """Send a new request to a model if the person approved that before."""
        if request.kind != KIND or not request.pending or not self._models.all:
            return
        task = CancellableTask(self._begin_unasked(request), name="rule", of=request.id)
        self._by_rule.add(task)
        task.when_ended(lambda: self._by_rule.discard(task))

    async def _begin_unasked(self, request: InputRequest) -> None:
        sampling = _of(request)
        try:
            rule = (await self._server(request)).sampling
            if rule.approve:
                await self._begin(request, replace(sampling, by_rule=True), rule, "")
            elif sampling.approved:
                await self._begin(request, sampling, rule, sampling.model)
        except (AlreadySettledError, NotFoundError, StorageError):
            return
        except ConflictError as error:
            # The person decides, and sees why the rule did not.
            with suppress(WebclientError):
                await self._change(request, replace(sampling, failure=error.reason), [Stage.PENDING])

    async def _begin(
        self, request: InputRequest, sampling: Sampling, rule: SamplingRule, model_id: str, *, extend: bool = False
    ) -> InputRequest:
        params = for_model(request.params, sampling.edited)
        model, why = self._model(model_id or rule.model, params, chosen=bool(model_id))
        run = Run(request, model, params, self._models.estimate(model.id, params))
        begun = replace(_back(sampling, failure=None), stage=Stage.GENERATING, model=model.id, choice=why)
        async with self._beginning:
            spent = await self.spent(request.user_id, request.server_id)
            if limit := exceeded(rule, spent, run.estimate, turn=sampling.turn, extended=extend):
                raise ConflictError(limit)
            changed = await self._change(request, replace(begun, started_at=now()), _WITH_PERSON)
            self._runs[request.id] = run
            self._tasks[request.id] = CancellableTask(self._run(changed, run), name="model", of=request.id)
        return changed

    async def _run(self, request: InputRequest, run: Run) -> None:
        """Run the model until it is done, stopped, or its request is settled otherwise."""
        outcome: Done | Reason | None = None
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._stop_when_settled, request, group.cancel_scope)
                outcome = await self._outcome(run)
                group.cancel_scope.cancel()
        finally:
            # Shielded: what was used is charged, and no request is left without a stage, also after a stop.
            with anyio.CancelScope(shield=True):
                await self._ended(request, run, outcome)

    async def _stop_when_settled(self, request: InputRequest, scope: anyio.CancelScope) -> None:
        await self._inbox.until([request], lambda newest: not newest[0].pending)
        scope.cancel()

    async def _outcome(self, run: Run) -> Done | Reason:
        request = run.request
        try:
            return await run.message(self._models, partial(self._hub.signal, request.user_id, "sampling", request.id))
        except ModelFailedError as failed:
            return failed.reason or Reason(ReasonCode.SAMPLING_FAILED)
        except Exception:
            logger.exception("The model %s failed", run.model.id)
            return Reason(ReasonCode.SAMPLING_FAILED)

    async def _ended(self, request: InputRequest, run: Run, outcome: Done | Reason | None) -> None:
        usage = outcome.usage if isinstance(outcome, Done) else run.used
        with suppress(StorageError):
            await self._store.of(request.user_id).samplings.spend(request.server_id, usage)
        del self._runs[request.id], self._tasks[request.id]
        with suppress(WebclientError):
            if isinstance(outcome, Done):
                await self._review(request, outcome.result, usage)
            elif outcome is not None:
                await self._change(request, _back(_of(request), failure=outcome, usage=usage), [Stage.GENERATING])

    async def _review(self, request: InputRequest, result: Json, usage: Usage) -> None:
        """Show the message to the person; send it at once if their rule says so and it has no fault."""
        message = as_sent(request.params, result)
        shown = replace(_of(request), stage=Stage.REVIEWING, result=message, generated=message, usage=usage)
        reviewed = await self._change(request, shown, [Stage.GENERATING])
        # Read again: the person may have changed the rule while the model was working.
        if shown.by_rule and (await self._server(request)).sampling.sends_unseen:
            with suppress(InvalidAnswerError):
                await self._inbox.answer(await check_answer(reviewed, Action.ACCEPT, message), via=Via.RULE)

    async def _errors(self, request: InputRequest, result: Json) -> dict[str, str]:
        return await run_schema_work(answer_errors, request.params, result, long=True)

    async def _server(self, request: InputRequest) -> Server:
        return await self._store.of(request.user_id).servers.get(request.server_id)

    def _model(self, model_id: str, params: Json, *, chosen: bool) -> tuple[ModelInfo, Reason | None]:
        """Return the model to use and why; one of the rule that is gone is replaced by the best fitting one."""
        if found := self._models.get(model_id):
            return found, None
        if chosen:
            raise NotFoundError(Reason.of(ReasonCode.MODEL_NOT_CONFIGURED, model=model_id))
        choice = self._models.choose(params.get("modelPreferences"))
        if choice is None:
            raise ConflictError(Reason(ReasonCode.SAMPLING_NO_MODEL))
        return choice.model, choice.reason

    def _with_running(self, spent: Spent, server_id: str) -> Spent:
        for run in self._runs.values():
            if run.request.server_id == server_id:
                spent = spent.plus(run.estimate)
        return spent

    async def _change(self, request: InputRequest, sampling: Sampling, stages: Collection[Stage]) -> InputRequest:
        """Save where a request stands. Raises AlreadySettledError, and ConflictError in any other stage."""
        rows = self._store.of(request.user_id)
        changed = await rows.samplings.change(request.id, sampling, stages)
        if changed is None:
            newest = await rows.requests.get(request.id)
            if not newest.pending:
                raise already_settled(newest)
            raise ConflictError(Reason(ReasonCode.SAMPLING_BUSY))
        self._inbox.see(changed)
        return changed


def _of(request: InputRequest) -> Sampling:
    """Return where the request stands. Raises ConflictError for any other kind of request."""
    if request.kind != KIND:
        raise ConflictError(Reason(ReasonCode.SAMPLING_OTHER_KIND))
    return request.sampling or Sampling(conversation=request.id)


def _back(sampling: Sampling, **values: object) -> Sampling:
    """Return it as it waits for the person, without a message."""
    return replace(sampling, stage=Stage.PENDING, result=None, generated=None, **values)  # type: ignore[arg-type]


def exceeded(rule: SamplingRule, spent: Spent, estimate: Usage, *, turn: int, extended: bool = False) -> Reason | None:
    """Return the limit that a use of a model would exceed; None if it fits.

    `spent` is what the server has used today, with everything that is running; `estimate` is the most that this use
    probably takes. `extended`: the person wants the conversation to go on beyond its turns.
    """
    if turn > rule.turns and not extended:
        return Reason.of(ReasonCode.SAMPLING_TURN_LIMIT, n=rule.turns)
    if rule.requests is not None and spent.requests >= rule.requests:
        return Reason.of(ReasonCode.SAMPLING_REQUEST_LIMIT, n=rule.requests)
    if rule.tokens is not None and spent.tokens + estimate.tokens > rule.tokens:
        return Reason.of(ReasonCode.SAMPLING_TOKEN_LIMIT, most=rule.tokens, used=spent.tokens, wanted=estimate.tokens)
    if rule.cost is not None and estimate.cost is not None:
        used = spent.cost_in(estimate.currency)
        if used + estimate.cost > rule.cost:
            return Reason.of(
                ReasonCode.SAMPLING_COST_LIMIT,
                most=rule.cost,
                used=round(used, 4),
                wanted=round(estimate.cost, 4),
                currency=estimate.currency,
            )
    return None
