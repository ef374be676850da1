"""The settings of notifications: where they go, after how long, and when not."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, Response

from webclient.auth import PrincipalKind
from webclient.domain.errors import ForbiddenError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import language
from webclient.domain.model import NoticeSettings, NoticeTarget, TargetKind
from webclient.network.webhooks import new_secret
from webclient.notifications import MOST_TARGETS, PushSubscription, is_push_service, new_key, public_key_of
from webclient.services import Services
from webclient.support.paths import STATIC
from webclient.web.http import PrincipalDep, ServicesDep, TimeZoneDep, redirect, render
from webclient.web.pages.page_context import read_page_context
from webclient.web.pages.posted_form import PostedDep, first
from webclient.web.pages.users import push_cookie
from webclient.web.pages.users.notice_form import (
    LONGEST_URL,
    NoticeForm,
    failure_sentence,
    form_of_settings,
    host_of,
    read_settings,
    read_url,
)
from webclient.web.pages.users.open_sign_ins import browser_label

PATH = "/notifications"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWebhook:
    """A webhook that is being added: its address and what is wrong with it; once added, its `secret`.

    `push_error` is why this browser could not be added.
    """

    url: str = ""
    error: str = ""
    secret: str = ""
    push_error: str = ""


@router.get(PATH)
async def show_settings(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, zone: TimeZoneDep
) -> HTMLResponse:
    """Show the settings and where notifications go."""
    form = form_of_settings(await _settings(services, principal.user_id), zone)
    return await _page(http_request, services, form)


@router.post(PATH)
async def change_settings(
    http_request: Request, services: ServicesDep, posted: PostedDep, principal: PrincipalDep
) -> Response:
    """Save after how long, and when not, notifications are sent."""
    form = read_settings(posted, await _settings(services, principal.user_id))
    if form.errors:
        return await _page(http_request, services, form, status=422)
    rows = services.store.of(principal.user_id).notices
    await rows.begin(form.settings)
    await rows.change(form.settings)
    services.notices.look(principal.user_id)
    return redirect(PATH, _("Notification settings saved."))


@router.post(f"{PATH}/webhooks")
async def add_webhook(
    http_request: Request, services: ServicesDep, posted: PostedDep, principal: PrincipalDep, zone: TimeZoneDep
) -> Response:
    """Add a webhook, and show its secret, this once."""
    url, error = read_url(posted)
    settings = await _settings(services, principal.user_id)
    new = NewWebhook(url=url, error=error)
    if not error:
        secret = new_secret()
        target = NoticeTarget(
            user_id=principal.user_id,
            kind=TargetKind.WEBHOOK,
            label=host_of(url),
            language=language(),
            secrets={"url": url, "secret": secret},
        )
        added = await add_target(services, settings, target)
        new = NewWebhook(secret=secret) if added else NewWebhook(url=url, error=too_many())
    form = form_of_settings(await _settings(services, principal.user_id), zone)
    return await _page(http_request, services, form, new=new, status=422 if new.error else 200)


@router.post(f"{PATH}/browsers")
async def add_browser(
    http_request: Request, services: ServicesDep, posted: PostedDep, principal: PrincipalDep, zone: TimeZoneDep
) -> Response:
    """Add the browser that has subscribed, in the place of its earlier subscription."""
    keys = {name: first(posted, name) for name in ("endpoint", "p256dh", "auth")}
    settings = await _settings(services, principal.user_id)
    error = _push_error(services, keys)
    if not error:
        rows = services.store.of(principal.user_id).notices
        for each in await rows.targets():
            if each.secrets.get("endpoint") == keys["endpoint"]:
                await rows.remove_target(each.id)
        label = browser_label(http_request.headers.get("user-agent", ""))
        target = NoticeTarget(
            user_id=principal.user_id, kind=TargetKind.PUSH, label=label, language=language(), secrets=keys
        )
        if await add_target(services, settings, target):
            response = redirect(PATH, _("This browser gets notifications."))
            push_cookie.add(http_request, response, target.id)
            return response
        error = too_many()
    form = form_of_settings(settings, zone)
    return await _page(http_request, services, form, new=NewWebhook(push_error=error), status=422)


@router.get("/service-worker.js")
async def service_worker() -> Response:
    """Return the service worker.

    It is at the root, because it may only show pages below its own path.
    """
    return FileResponse(STATIC / "js" / "service_worker.js", media_type="text/javascript")


@router.post(f"{PATH}/targets/{{target_id}}/test")
async def send_test(services: ServicesDep, principal: PrincipalDep, target_id: str) -> Response:
    """Send a test to a browser or webhook, and say what came of it."""
    target = await _target(services, principal.user_id, target_id)
    posted = await services.notices.send_test(await _settings(services, principal.user_id), target)
    if posted.is_success:
        return redirect(PATH, _("The test notification was sent to {label}.").format(label=target.label))
    sentence = _("The test notification did not reach {label}. {reason}")
    return redirect(PATH, sentence.format(label=target.label, reason=failure_sentence(posted.why)))


@router.post(f"{PATH}/targets/{{target_id}}/remove")
async def remove_target(services: ServicesDep, principal: PrincipalDep, target_id: str) -> Response:
    """Send no more notifications to a browser or webhook."""
    target = await _target(services, principal.user_id, target_id)
    await services.store.of(principal.user_id).notices.remove_target(target.id)
    return redirect(PATH, _("{label} gets no more notifications.").format(label=target.label))


@router.post("/visible")
async def page_is_visible(services: ServicesDep, principal: PrincipalDep) -> Response:
    """Note that a page of the user is visible, as its stream has asked."""
    # A program sees nothing in the person's place, and must not keep a notice from them.
    if principal.kind is not PrincipalKind.USER:
        raise ForbiddenError(_("Only a page in a browser can be visible."))
    services.notices.page_is_visible(principal.user_id)
    return Response(status_code=204)


async def add_target(services: Services, settings: NoticeSettings, target: NoticeTarget) -> bool:
    """Add a target; False if there are too many."""
    rows = services.store.of(target.user_id).notices
    await rows.begin(settings)
    added = await rows.add_target(target, MOST_TARGETS)
    if added:
        services.notices.look(target.user_id)
    return added


def too_many() -> str:
    """Return the sentence on the limit of targets."""
    return _("Notifications go to {most} browsers and webhooks at most. Remove one first.").format(most=MOST_TARGETS)


async def _settings(services: Services, user_id: str) -> NoticeSettings:
    """Return the stored settings, or the first ones; with a key for push services, which `begin` stores."""
    settings = await services.store.of(user_id).notices.settings() or NoticeSettings(user_id=user_id)
    return settings if settings.push_key else replace(settings, push_key=new_key())


def _push_error(services: Services, keys: Mapping[str, str]) -> str:
    try:
        PushSubscription.read(**keys)
    except ValueError:
        return _("Your browser could not subscribe. Its push service may be out of reach.")
    known = len(keys["endpoint"]) <= LONGEST_URL
    if known and is_push_service(keys["endpoint"], services.settings.push_services):
        return ""
    return _("This browser cannot be added: its push service is unknown here.")


def _digest(target: NoticeTarget) -> str:
    """Return what a browser compares with its own subscription; the address itself is a secret."""
    return urlsafe_b64encode(sha256(str(target.secrets["endpoint"]).encode()).digest()).rstrip(b"=").decode()


async def _target(services: Services, user_id: str, target_id: str) -> NoticeTarget:
    targets = await services.store.of(user_id).notices.targets()
    found = next((each for each in targets if each.id == target_id and each.secrets), None)
    if found is None:
        raise NotFoundError(_("This browser or webhook gets no notifications; it may have been removed."))
    return found


async def _page(
    http_request: Request,
    services: Services,
    form: NoticeForm,
    *,
    new: NewWebhook | None = None,
    status: int = 200,
) -> HTMLResponse:
    user_id = form.settings.user_id
    # Stored before the browser subscribes with it.
    stored = await services.store.of(user_id).notices.begin(form.settings)
    return render(
        http_request,
        "notices/page.html",
        status=status,
        page_context=await read_page_context(services, user_id),
        form=form,
        new=new or NewWebhook(),
        targets=await services.store.of(user_id).notices.targets(),
        failure_sentence=failure_sentence,
        push_key=public_key_of(stored.push_key),
        digest_of=_digest,
    )
