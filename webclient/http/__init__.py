"""The floor of pages and API: security checks, errors, dependencies of a route, templates, event streams, static files.

Promises: every request passes `middleware` before a route sees it; every error becomes a page or a problem document;
every value in a template is escaped; a stream ends when its principal is signed out. Knows no page and no resource.
"""

from __future__ import annotations

from webclient.http.assets import Assets
from webclient.http.context import IdentityDep, PrincipalDep, ServicesDep, problems
from webclient.http.errors import install_errors
from webclient.http.filters import shown
from webclient.http.htmx import NO_SWAP, is_htmx
from webclient.http.paging import read_history_cursor
from webclient.http.security import middleware
from webclient.http.streaming import ALIVE, Batch, StreamClient, StreamClientDep, batches, event_stream
from webclient.http.templating import environment, render, render_in_steps, render_text, render_text_in_steps

__all__ = [
    "ALIVE",
    "NO_SWAP",
    "Assets",
    "Batch",
    "IdentityDep",
    "PrincipalDep",
    "ServicesDep",
    "StreamClient",
    "StreamClientDep",
    "batches",
    "environment",
    "event_stream",
    "install_errors",
    "is_htmx",
    "middleware",
    "problems",
    "read_history_cursor",
    "render",
    "render_in_steps",
    "render_text",
    "render_text_in_steps",
    "shown",
]
