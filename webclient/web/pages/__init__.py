"""The HTML pages, their fragments and the stream that updates an open page.

Promises: a page shows only what belongs to its principal; a page, a fragment and a push render the same partials;
every action works without JavaScript. Templates hold all HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fastapi import APIRouter
from starlette.routing import BaseRoute

from webclient.auth import SignIn
from webclient.servers.icons import icon_of
from webclient.web.http import environment
from webclient.web.pages import embed_pages, frame_actions, guide, stream
from webclient.web.pages.agent_rules import insight_pages, rule_list_pages
from webclient.web.pages.calls import call_pages, content_pages
from webclient.web.pages.calls.task_view import task_words
from webclient.web.pages.guide import Guide
from webclient.web.pages.inbox import (
    alike_pages,
    drafts,
    history_pages,
    inbox_pages,
    interstitials,
    muted_programs,
    rule_suggestions,
    sign_in_card_pages,
    together,
)
from webclient.web.pages.posted_form import is_posted_unchanged
from webclient.web.pages.sampling import card_routes, content_routes, rule_pages
from webclient.web.pages.sampling.record import sampling_record
from webclient.web.pages.sampling.view import money
from webclient.web.pages.servers import (
    catalog_pages,
    entry_pages,
    following,
    oauth_pages,
    server_extensions,
    server_list_pages,
    server_pages,
    server_permissions,
    server_says,
    server_settings,
    server_sign_in,
    server_tasks,
    server_token,
    skill_pages,
    wire_log_pages,
)
from webclient.web.pages.servers.server_says import said_by
from webclient.web.pages.users import (
    admin_pages,
    agent_pages,
    choice_pages,
    notice_pages,
    oidc_pages,
    open_sign_ins,
    sign_in_pages,
    token_pages,
)
from webclient.web.pages.users.sign_in_pages import Refused, SignedOut

environment.filters |= {
    "icon": icon_of,
    "says": said_by,
    "is_posted_unchanged": is_posted_unchanged,
    "task_words": task_words,
    "money": money,
    "sampling_record": sampling_record,
}


def routers(
    sign_in: SignIn,
    *,
    framed: bool,
    guided: bool = False,
    with_users: bool = False,
    with_provider: bool = False,
    signed_out: SignedOut | None = None,
    refused: Refused | None = None,
) -> list[APIRouter]:
    """Return the routes of pages that depend on settings, to be included before `routes`.

    `sign_in` is behind the sign-in page, and other sites may have the pages `framed`.

    A `guided` program begins with the guide of the demo; one `with_users` has pages for administrators, and one
    `with_provider` those of the sign-in at an OpenID provider. `signed_out` gets each user who signs out, and `refused`
    is called for each wrong token.
    """
    return [
        sign_in_pages.router(sign_in, home=guide.PATH if guided else "/", signed_out=signed_out, refused=refused),
        *([admin_pages.router] if with_users else []),
        *([oidc_pages.router] if with_provider else []),
        *([guide.router] if guided else []),
        choice_pages.router(framed=framed),
    ]


@cache
def routes() -> Sequence[BaseRoute]:
    """Return the routes of the other pages, the same for each app: FastAPI takes 0.1 s to put them together."""
    whole = APIRouter()
    for part in (
        # Before the page of one question, whose address has an id in the same place.
        together,
        alike_pages,
        inbox_pages,
        drafts,
        embed_pages,
        frame_actions,
        card_routes,
        content_routes,
        interstitials,
        notice_pages,
        oauth_pages,
        open_sign_ins,
        sign_in_card_pages,
        server_list_pages,
        wire_log_pages,
        server_pages,
        catalog_pages,
        following,
        entry_pages,
        server_permissions,
        server_extensions,
        rule_pages,
        server_says,
        server_settings,
        server_sign_in,
        server_tasks,
        server_token,
        skill_pages,
        call_pages,
        content_pages,
        history_pages,
        token_pages,
        agent_pages,
        rule_list_pages,
        insight_pages,
        muted_programs,
        rule_suggestions,
        stream,
    ):
        whole.include_router(part.router)
    return whole.routes


__all__ = ["Guide", "routers", "routes"]
