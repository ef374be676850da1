"""The HTML pages, their fragments and the stream that updates an open page.

Promises: a page shows only what belongs to its principal; a page, a fragment and a push render the same partials;
every action works without JavaScript. Templates hold all HTML.
"""

from __future__ import annotations

from fastapi import APIRouter

from webclient.http import environment
from webclient.icons import icon_of
from webclient.identity import SignIn
from webclient.pages import (
    admin_pages,
    call_pages,
    catalog_pages,
    content_pages,
    decline_together,
    drafts,
    embed_pages,
    entry_pages,
    following,
    guide,
    history_pages,
    inbox_pages,
    language_pages,
    link_redirect,
    muted_programs,
    notice_pages,
    oauth_pages,
    oidc_pages,
    server_list_pages,
    server_pages,
    server_permissions,
    server_says,
    server_settings,
    server_sign_in,
    server_tasks,
    sign_in_card_pages,
    sign_in_pages,
    stream,
    token_pages,
    wire_log_pages,
)
from webclient.pages.guide import Guide
from webclient.pages.names import is_posted_unchanged
from webclient.pages.sampling import card_routes, content_routes, rule_pages
from webclient.pages.sampling.record import sampling_record
from webclient.pages.sampling.view import money
from webclient.pages.server_says import said_by
from webclient.pages.sign_in_pages import Refused, SignedOut
from webclient.pages.task_view import task_words

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
    """Return the routes of all pages; `sign_in` is behind the sign-in page, and other sites may have them `framed`.

    A `guided` program begins with the guide of the demo; one `with_users` has pages for administrators, and one
    `with_provider` those of the sign-in at an OpenID provider. `signed_out` gets each user who signs out, and `refused`
    is called for each wrong token.
    """
    return [
        sign_in_pages.router(sign_in, home=guide.PATH if guided else "/", signed_out=signed_out, refused=refused),
        *([admin_pages.router] if with_users else []),
        *([oidc_pages.router] if with_provider else []),
        *([guide.router] if guided else []),
        language_pages.router(framed=framed),
        # Before the page of one question, whose address has an id in the same place.
        decline_together.router,
        inbox_pages.router,
        drafts.router,
        embed_pages.router,
        card_routes.router,
        content_routes.router,
        link_redirect.router,
        notice_pages.router,
        oauth_pages.router,
        sign_in_card_pages.router,
        server_list_pages.router,
        wire_log_pages.router,
        server_pages.router,
        catalog_pages.router,
        following.router,
        entry_pages.router,
        server_permissions.router,
        rule_pages.router,
        server_says.router,
        server_settings.router,
        server_sign_in.router,
        server_tasks.router,
        call_pages.router,
        content_pages.router,
        history_pages.router,
        token_pages.router,
        muted_programs.router,
        stream.router,
    ]


__all__ = ["Guide", "routers"]
