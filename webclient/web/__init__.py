"""The pages that people see."""

from __future__ import annotations

from fastapi import APIRouter

from webclient.web import (
    asking_pages,
    call_pages,
    content_pages,
    drafts,
    history_pages,
    inbox_pages,
    offer_pages,
    opening,
    server_pages,
    stream,
)


def routers() -> list[APIRouter]:
    """Return the routes of all pages."""
    return [
        inbox_pages.router,
        drafts.router,
        opening.router,
        server_pages.router,
        offer_pages.router,
        asking_pages.router,
        call_pages.router,
        content_pages.router,
        history_pages.router,
        stream.router,
    ]
