"""The buttons within a sampling card: run and stop a model, change the request and the answer, see the changes.

Sending the answer, declining and dismissing are those of every card (`inbox_pages.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from webclient.domain.errors import AlreadySettledError, ConflictError, InvalidAnswerError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import InputRequest, Stage
from webclient.services import Services
from webclient.web.http import RequestDep, ServicesDep, is_htmx, render
from webclient.web.pages.inbox import drafts
from webclient.web.pages.inbox.cards import PendingCard, untouched
from webclient.web.pages.inbox.inbox_pages import show_card, show_late
from webclient.web.pages.inbox.too_soon import refuse_too_soon
from webclient.web.pages.posted_form import Posted, PostedDep, first
from webclient.web.pages.sampling.answer_parts import (
    JSON,
    TEXT,
    Part,
    add_text,
    add_use,
    edit_part,
    read_parts,
    remove_part,
    texts_of_parts,
)
from webclient.web.pages.sampling.cards import is_sampling, read_surroundings
from webclient.web.pages.sampling.view import FURTHER_TURNS, SamplingView, as_posted, is_of_answer, typed_texts

router = APIRouter(include_in_schema=False)

STEP, EDIT = "step", "edit"
"""The names of the card's buttons, and of those within the form of a tool."""


@router.post("/requests/{request_id}/compose")
async def compose(http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep) -> Response:
    """Apply a button of the answer: add or remove a part, or change one."""
    view = await _read_view(services, request, posted)
    step = first(posted, STEP)
    parts = read_parts(view.base, view.texts, view.sampling.result)
    changed, focus = _changed(view, parts, step, posted)
    typed = {name: texts for name, texts in (view.typed or {}).items() if not is_of_answer(name)}
    if changed != parts or any(map(is_of_answer, view.typed or ())):
        names = {
            name: texts
            for name, texts in view.texts.items()
            if name.startswith("a.") and not name.startswith((TEXT, JSON))
        }
        typed |= {**names, **texts_of_parts(changed)}
    return await _show_view(http_request, services, replace(view, typed=typed, focus=focus))


@router.post("/requests/{request_id}/changes")
async def show_changes(
    http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep
) -> Response:
    """Show what the person changed of the request or, under review, of the answer."""
    view = await _read_view(services, request, posted)
    if not is_htmx(http_request):
        return await _show_view(http_request, services, view)
    changes = view.answer_changes if view.stage is Stage.REVIEWING else view.changes
    return render(http_request, "requests/_changes.html", changes=changes)


@router.post("/requests/{request_id}/run")
async def run_model(http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep) -> Response:
    """Send the request, with what was edited, to the chosen model; or show what is wrong with it."""
    view = await _read_view(services, request, posted)
    try:
        refuse_too_soon(request, posted)
        if view.edits.errors:
            return await _show_view(http_request, services, replace(view, checked=True), status=422)
        if view.changes:
            request = await services.sampling.edit(request, view.edits.params)
        running = await services.sampling.generate(
            request, view.chosen, extend=bool(first(posted, "extend")), approve_turns=_turns(posted)
        )
    except InvalidAnswerError as wrong:
        return await _show_view(http_request, services, view, errors=wrong.errors, status=422)
    except AlreadySettledError as late:
        return await show_late(http_request, services, late)
    except ConflictError as conflict:
        return await _show_view(http_request, services, view, errors={"": str(conflict)}, status=409)
    await services.store.of(request.user_id).drafts.save(request.id, {})
    return await show_card(http_request, services, untouched(running))


@router.post("/requests/{request_id}/stop")
async def stop_model(http_request: Request, services: ServicesDep, request: RequestDep) -> Response:
    """Stop the model, or leave its answer, and show the request again."""
    try:
        stopped = await services.sampling.stop(request)
    except AlreadySettledError as late:
        return await show_late(http_request, services, late)
    return await show_card(http_request, services, untouched(stopped))


@router.post("/requests/{request_id}/reset")
async def undo_edits(http_request: Request, services: ServicesDep, posted: PostedDep, request: RequestDep) -> Response:
    """Undo the edits of the request, and leave what is typed of the answer."""
    view = await _read_view(services, request, posted)
    try:
        if view.sampling.edited is not None:
            request = await services.sampling.edit(request, None)
    except AlreadySettledError as late:
        return await show_late(http_request, services, late)
    remaining = {name: texts for name, texts in (view.typed or {}).items() if not name.startswith("p.")}
    return await _show_view(http_request, services, replace(view, request=request, typed=remaining))


def _turns(posted: Posted) -> int:
    """Return how many further turns are approved; what the card does not offer is none."""
    turns = first(posted, "turns")
    return int(turns) if turns in map(str, FURTHER_TURNS) else 0


def _changed(view: SamplingView, parts: list[Part], step: str, posted: Posted) -> tuple[list[Part], str]:
    """Return the parts after the pressed button, and the control to focus."""
    verb, _dot, which = step.partition(".")
    if wanted := first(posted, EDIT):
        return edit_part(parts, wanted)
    if verb == "use":
        added = add_use(view.base, parts, which or first(posted, "use"))
        return added, f"part-{added[-1].slot}" if len(added) > len(parts) else ""
    if verb == "text":
        return add_text(parts), ""
    return (remove_part(parts, which), "") if verb == "drop" else (parts, "")


async def _read_view(services: Services, request: InputRequest, posted: Posted) -> SamplingView:
    """Return what the card shows with the posted texts. Raises NotFoundError for other kinds of requests."""
    if not is_sampling(request):
        raise NotFoundError(_("This question is not for a language model."))
    around = await read_surroundings(services, request)
    return SamplingView(request=request, around=around, typed=typed_texts(request, posted))


async def _show_view(
    http_request: Request,
    services: Services,
    view: SamplingView,
    *,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    """Show the card with what is typed, and store that as its draft."""
    draft = await drafts.save(services, view.request, as_posted(view))
    card = PendingCard(request=view.request, sampling=view, errors=errors or {}, draft=draft, texts=view.typed)
    return await show_card(http_request, services, card, status=status)
