"""The pages that people see."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.http.templating import environment
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
    stream,
)
from webclient.pages.icons import icon
from webclient.pages.names import is_posted_unchanged

environment.filters |= {"icon": icon, "is_posted_unchanged": is_posted_unchanged}


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [
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
