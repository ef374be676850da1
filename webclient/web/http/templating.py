"""Renders templates, the only source of HTML, in the language of the context.

Every value is escaped, in every template; nothing is marked safe in a template.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, MutableMapping
from time import perf_counter
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from webclient.content.visible_text import counted, preview, visible
from webclient.domain.durations import duration
from webclient.domain.i18n import gettext, language, listed, ngettext, one_of, sentences
from webclient.domain.languages import LANGUAGES, clock, day, exact, minute, number, second
from webclient.domain.model import fate_of, now
from webclient.support.library_parts import expect
from webclient.support.paths import TEMPLATES
from webclient.support.turns import take_turn
from webclient.web.http import shortcuts
from webclient.web.http.abridged import abridged
from webclient.web.http.advance import advance_of, suggests_advance
from webclient.web.http.argument_rows import argument_rows, in_one_line
from webclient.web.http.assets import asset
from webclient.web.http.base_path import OwnAddresses, base_path, based
from webclient.web.http.filters import (
    age,
    bytes_,
    compact,
    distance,
    fill,
    iso,
    monogram,
    named,
    pretty,
    program_of,
    shown,
    steps,
    tile_color,
)
from webclient.web.http.flash import take_flash
from webclient.web.http.markdown import markdown
from webclient.web.http.render_cache import RenderCache
from webclient.web.http.search_marks import marked_parts
from webclient.web.http.sentence_gaps import SentenceGaps, comma, gap
from webclient.web.http.server_rights import may_add_servers
from webclient.web.http.theme import scheme_of, theme_of

STEP = 0.01
"""Seconds of rendering before other tasks run."""

WRITTEN_FOR = {"Jinja2": "3.1"}
"""The version of Jinja whose inner parts are used here."""

RELIED_ON = (
    "web/http/templating.py: `make_globals` gives the names of each template, and nothing adds to them later",
    "web/http/base_path.py: `preprocess` gets the text of each template, and its names",
)
"""Behaviour that Jinja does not promise, by the file that relies on it."""

expect(Environment.make_globals, "self d", "globals")


def _milliseconds() -> int:
    return round(now().timestamp() * 1000)


class _Environment(Environment):
    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        # Jinja copies the global names for each template that another includes or imports. Its own `ChainMap` does that
        # in Python, which took a fifth of the time of rendering what an event changes on a page; what it is for, names
        # that are added after a template was loaded, does not exist here.
        return {**self.globals, **(d or {})}


def _environment() -> _Environment:
    made = _Environment(
        loader=FileSystemLoader(TEMPLATES),
        extensions=[OwnAddresses, SentenceGaps],
        # Not select_autoescape, which depends on the name of the template.
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Otherwise each include of each card asks the disk whether its file has changed.
        auto_reload=False,
    )
    made.globals.update({"_": gettext, "ngettext": ngettext, "language": language, "asset": asset})
    made.globals["base_path"] = base_path
    made.globals.update({"listed": listed, "one_of": one_of, "sentences": sentences})
    made.globals.update(
        {
            "milliseconds": _milliseconds,
            "take_flash": take_flash,
            "may_add_servers": may_add_servers,
            "gap": gap,
            "comma": comma,
            "languages": LANGUAGES,
            "scheme_of": scheme_of,
            "theme_of": theme_of,
            "advance_of": advance_of,
            "suggests_advance": suggests_advance,
            "SHORTCUTS": shortcuts,
        }
    )
    made.filters.update(
        {
            "based": based,
            "fate": fate_of,
            "visible": visible,
            "counted": counted,
            "preview": preview,
            "fill": fill,
            "pretty": pretty,
            "steps": steps,
            "second": second,
            "compact": compact,
            "named": named,
            "argument_rows": argument_rows,
            "in_one_line": in_one_line,
            "iso": iso,
            "exact": exact,
            "clock": clock,
            "day": day,
            "minute": minute,
            "number": number,
            "distance": distance,
            "age": age,
            "duration": duration,
            "shown": shown,
            "bytes": bytes_,
            "abridged": abridged,
            "monogram": monogram,
            "program_of": program_of,
            "tile_color": tile_color,
            "markdown": markdown,
            "marked_parts": marked_parts,
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
    began = perf_counter()
    for piece in environment.get_template(name).generate(context):
        pieces.append(piece)
        if perf_counter() - began > STEP:
            await asyncio.sleep(0)
            await take_turn()
            began = perf_counter()
    return _encodable("".join(pieces))


_parts = RenderCache()
_SHOWN = re.compile(r'(<input type="hidden" name="shown" value=")\d+')


def render_shared(name: str, key: str, **context: Any) -> Markup:
    """Return a template as HTML, rendered once for all pages with an equal context.

    `key` names what is shown; of each, the last rendering is remembered for a moment. The moment at which a card is
    shown (`too_soon.py`) is of now, not of that rendering.

    Safe: it is the output of a template, which escapes every value.
    """
    text = _parts.get((name, key, language(), base_path()), context, lambda: render_text(name, **context))
    # Digits into an attribute that no escaped text can contain.
    return Markup(_SHOWN.sub(rf"\g<1>{_milliseconds()}", text))  # noqa: S704  (see above)


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
