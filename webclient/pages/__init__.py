"""The HTML pages, their fragments and the stream that updates an open page.

Promises: a page shows only what belongs to its principal; a page, a fragment and a push render the same partials;
every action works without JavaScript. Templates hold all HTML.
"""

from __future__ import annotations

from fastapi import APIRouter

from webclient.http import environment
from webclient.identity import SignIn
from webclient.pages import (
    call_pages,
    catalog_pages,
    content_pages,
    drafts,
    history_pages,
    inbox_pages,
    link_redirect,
    server_pages,
    server_permissions,
    sign_in_pages,
    stream,
)
from webclient.pages.icons import icon
from webclient.pages.names import is_posted_unchanged

environment.filters |= {"icon": icon, "is_posted_unchanged": is_posted_unchanged}


def routers(sign_in: SignIn) -> list[APIRouter]:
    """Return the routes of all pages; `sign_in` is behind the sign-in page."""
    return [
        sign_in_pages.router(sign_in),
        inbox_pages.router,
        drafts.router,
        link_redirect.router,
        server_pages.router,
        catalog_pages.router,
        server_permissions.router,
        call_pages.router,
        content_pages.router,
        history_pages.router,
        stream.router,
    ]


__all__ = ["routers"]
