"""The files that browsers keep: one style sheet, one script and the icon, under addresses that name their content.

The sheet and the script are put together at start-up from the small files in `static/`. A browser keeps each for good
and never asks for it again; what changed with an upgrade has another address.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from webclient.paths import STATIC

SHEETS = (
    "reset", "tokens", "base", "layout", "buttons", "forms", "card", "outcome", "lists", "server", "call", "history",
    "notice",
)  # fmt: skip
"""The style sheets in the order of the cascade; demo.css belongs to the demo's own pages."""

SCRIPTS = (
    "dirty_form", "swap_once", "swap_catalog", "card_focus", "escape_key", "stream_status", "title", "copy_button",
    "new_tab", "clock", "preview", "save_draft", "time_zone", "character_count", "partial_date", "multiline",
    "entry_focus", "picture_errors", "live",
)  # fmt: skip
"""The scripts in the order in which they run, after htmx; one that others import comes before them."""

_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
_IMPORT = re.compile(r"^import [^\n]*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file under `address`, ready to be sent: `body`, and the same `compressed` by gzip."""

    address: str
    media_type: str
    body: bytes
    compressed: bytes


def asset(name: str) -> str:
    """Return the address of "app.css", "app.js" or "icon.svg". Raises KeyError for another name."""
    return _ASSETS[name].address


class Assets(StaticFiles):
    """Serves the assets, and each file in `static/` under its own name, which browsers check each time."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._by_path = {each.address.removeprefix("/static/"): each for each in _ASSETS.values()}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer a GET or HEAD of `path` below `/static`."""
        found = self._by_path.get(path)
        if found is None or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            headers = _FOREVER | {"Content-Encoding": "gzip"}
            return Response(found.compressed, headers=headers, media_type=found.media_type)
        return Response(found.body, headers=_FOREVER, media_type=found.media_type)


def _sheet() -> bytes:
    return b"\n".join((STATIC / "css" / f"{name}.css").read_bytes() for name in SHEETS)


def _script() -> bytes:
    # htmx comes first and as it was published. It starts in a task of its own, so after all of this has run.
    parts = [(STATIC / "vendor" / "htmx.min.js").read_text(), ';(() => {\n"use strict";']
    for name in SCRIPTS:
        text = (STATIC / "js" / f"{name}.js").read_text()
        # Each file is a block, so that no name in one is that of another; those that export stand outside of blocks.
        parts.append(_EXPORT.sub("", text) if _EXPORT.search(text) else f"{{\n{_IMPORT.sub('', text)}}}")
    return "\n".join([*parts, "})()\n"]).encode()


def _asset(name: str, body: bytes) -> Asset:
    path = Path(name)
    digest = sha256(body).hexdigest()[:16]
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    compressed = gzip.compress(body, mtime=0)
    return Asset(f"/static/{path.stem}-{digest}{path.suffix}", media_type, body, compressed)


def _assets() -> Mapping[str, Asset]:
    bodies = {"app.css": _sheet(), "app.js": _script(), "icon.svg": (STATIC / "icon.svg").read_bytes()}
    return {name: _asset(name, body) for name, body in bodies.items()}


_ASSETS = _assets()
