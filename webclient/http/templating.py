"""Renders templates, the only source of HTML, in the language of the context.

Every value is escaped, in every template; nothing is marked safe in a template.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from webclient.durations import duration
from webclient.http.abridged import abridged
from webclient.http.assets import asset
from webclient.http.escaping import EscapingEnvironment
from webclient.http.filters import bytes_, clock, compact, distance, exact, fill, iso, pretty, second, shown, steps
from webclient.i18n import gettext, language, ngettext
from webclient.paths import TEMPLATES
from webclient.visible_text import preview, visible

STEP = 0.01
"""Seconds of rendering before other tasks run."""


def _environment() -> EscapingEnvironment:
    made = EscapingEnvironment(
        loader=FileSystemLoader(TEMPLATES),
        # Not select_autoescape, which depends on the name of the template.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update({"_": gettext, "ngettext": ngettext, "language": language, "asset": asset})
    made.filters.update(
        {
            "visible": visible,
            "preview": preview,
            "fill": fill,
            "pretty": pretty,
            "steps": steps,
            "second": second,
            "compact": compact,
            "iso": iso,
            "exact": exact,
            "clock": clock,
            "distance": distance,
            "duration": duration,
            "shown": shown,
            "bytes": bytes_,
            "abridged": abridged,
        }
    )
    return made


environment = _environment()
"""All templates; an undefined name in one of them is an error."""


def render_text(name: str, **context: Any) -> str:
    """Render the template `name`, a page or a partial."""
    return _encodable(environment.get_template(name).render(context))


async def render_text_in_steps(name: str, **context: Any) -> str:
    """Render a template that may be long, letting other tasks run in between."""
    pieces = []
    turn = perf_counter()
    for piece in environment.get_template(name).generate(context):
        pieces.append(piece)
        if perf_counter() - turn > STEP:
            await asyncio.sleep(0)
            turn = perf_counter()
    return _encodable("".join(pieces))


def render(
    http_request: Request, name: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any
) -> HTMLResponse:
    """Render the template `name` with `http_request` and `context` as a response."""
    text = render_text(name, http_request=http_request, **context)
    return HTMLResponse(text, status_code=status, headers=headers)


async def render_in_steps(http_request: Request, name: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a template that may be long as a response; see `render`."""
    return HTMLResponse(await render_text_in_steps(name, http_request=http_request, **context), status_code=status)


def _encodable(text: str) -> str:
    # Half a character (a lone surrogate) in what a server sent cannot be encoded and must not end the page.
    return text.encode("utf-8", "replace").decode()
