"""The files that browsers keep: one style sheet, one script and the icon, under addresses that name their content.

The sheet and the script are put together at start-up from the small files in `static/`. A browser keeps each for good
and never asks for it again; what changed with an upgrade has another address.
"""

from __future__ import annotations

import mimetypes
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import rcssmin
import rjsmin
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from webclient.support.paths import STATIC

SHEETS = (
    "reset", "tokens", "base", "layout", "buttons", "forms", "card", "outcome", "lists", "request_row", "inbox",
    "context", "server", "call", "notice", "sign_in", "attention", "account", "shortcuts", "print",
)  # fmt: skip
"""The style sheets in the order of the cascade; demo.css belongs to the sites of the demo."""

SHEETS_OF_PARTS = (
    "history",
    "sampling",
    "wire_log",
    "admin",
    "catalog",
    "result",
    "roots",
    "timeline",
    "gateway",
    "approval",
    "changes",
    "shapes",
    "files",
    "skills",
)
"""The sheets of parts that few pages have; the template of the part links its sheet."""

SHEETS_OF_FRAMES = (
    "reset", "tokens", "base", "layout", "buttons", "forms", "card", "outcome", "lists", "request_row", "notice",
    "sign_in", "embed",
)  # fmt: skip
"""The style sheets of the inbox in a frame: those above that its cards need, in the same order, and its own."""

SCRIPTS = (
    "home", "page_language", "own_response",
    "dirty_form", "list_swap", "detail", "row_filter", "swap_once", "swap_runner",
    "filter_entries", "card_focus", "escape_key", "failed_send", "stream_status", "title", "page_swap", "copy_button",
    "new_tab", "clock", "preview", "save_draft", "time_zone", "character_count", "partial_date", "multiline",
    "entry_focus", "picture_errors", "countdown", "steady_cards", "not_ready", "slow_send",
    "recheck", "empty_choice", "run_key", "live", "flash", "pending_button",
    "favicon", "attention", "visibility", "cursor", "approvals", "after_answer", "shortcuts", "show_later",
)  # fmt: skip
"""The scripts in the order in which they run, after htmx; one that others import comes before them."""

SCRIPTS_OF_PARTS = ("push", "wire_log", "file_field", "secret_field")
"""The scripts of parts that few pages have, which link them; a module runs once, however often it is swapped in."""

COMPLETION = ("home", "page_language", "own_response", "complete_arguments")
"""The scripts of a form whose server suggests values, as one named after the last; the others are what it imports."""

FRAME = ("frame_theme", "frame")
"""The scripts of an empty frame in a page of another application, until it has a session."""

EMBEDDED = (
    "home", "page_language", "own_response",
    "dirty_form", "swap_once", "card_focus", "escape_key", "failed_send", "stream_status",
    "copy_button", "frame_list", "frame_sight", "frame_seen", "frame_guard", "frame_actions", "new_tab", "clock",
    "preview", "save_draft", "character_count", "partial_date", "multiline", "countdown", "steady_cards", "not_ready",
    "slow_send", "recheck", "empty_choice", "live", "pending_button", "picture_errors",
    "show_later", "ended_session", "frame_news",
)  # fmt: skip
"""The scripts of the inbox in a frame, in the order in which they run."""

GUIDE = ("guide", "guide_messages")
"""The scripts that only the guided page of the demo loads, as one; the first is the name of its sheet as well."""

_FOREVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
_IMPORT = re.compile(r"^import [^\n]*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_PRIVATE = re.compile(r"^ +#", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Asset:
    """A file under `address`, ready to be sent: `body`, and the same `compressed` by gzip."""

    address: str
    media_type: str
    body: bytes
    compressed: bytes


def asset(name: str) -> str:
    """Return the address of "app.css", "app.js", an icon, or a file of the guided page. Raises KeyError for others."""
    return _ASSETS[name].address


def element() -> bytes:
    """Return the module that other applications load, without comments; the package has them."""
    return _ELEMENT


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


def _sheet(names: Sequence[str]) -> bytes:
    text: str = rcssmin.cssmin("\n".join(_text("css", name) for name in names))
    return text.encode()


def _script(names: Sequence[str], *, htmx: bool = True) -> bytes:
    # htmx comes first and as it was published. It starts in a task of its own, so after all of this has run.
    parts = [(STATIC / "vendor" / "htmx.min.js").read_text("utf-8")] if htmx else []
    parts.append(';(() => {\n"use strict";')
    for name in names:
        text = _IMPORT.sub("", _text("js", name))
        # Each file is a block, so that the names of two files cannot clash; a file with exports stays outside a block.
        block = _EXPORT.sub("", text) if _EXPORT.search(text) else f"{{\n{text}}}"
        parts.append(rjsmin.jsmin(block))
    return "\n".join([*parts, "})()\n"]).encode()


def _text(kind: str, name: str) -> str:
    return (STATIC / kind / f"{name}.{kind}").read_text("utf-8")


def _module(text: str) -> bytes:
    # rjsmin would join the lines of private fields, which need their line ends.
    small: str = rjsmin.jsmin(_PRIVATE.sub("$$", text))
    return small.replace("$$", "#").encode()


def _asset(name: str, body: bytes) -> Asset:
    path = Path(name)
    digest = sha256(body).hexdigest()[:16]
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    # In the format of gzip; with the most memory the files come out a little smaller than those of `gzip.compress`.
    gzip = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, 16 + zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL + 1)
    compressed = gzip.compress(body) + gzip.flush()
    return Asset(f"/static/{path.stem}-{digest}{path.suffix}", media_type, body, compressed)


def _assets() -> Mapping[str, Asset]:
    bodies = {"app.css": _sheet(SHEETS), "app.js": _script(SCRIPTS), "frame.css": _sheet(SHEETS_OF_FRAMES)}
    bodies |= {
        **{f"{name}.css": rcssmin.cssmin(_text("css", name)).encode() for name in (*SHEETS_OF_PARTS, GUIDE[0])},
        **{f"{name}.js": rjsmin.jsmin(_text("js", name)).encode() for name in SCRIPTS_OF_PARTS},
        "embed.js": _script(EMBEDDED),
        "frame.js": _script(FRAME, htmx=False),
        "guide.js": _script(GUIDE, htmx=False),
        f"{COMPLETION[-1]}.js": _script(COMPLETION, htmx=False),
    }
    bodies |= {name: (STATIC / name).read_bytes() for name in ("icon.svg", "icon-waiting.svg")}
    return {name: _asset(name, body) for name, body in bodies.items()}


_ASSETS = _assets()
_ELEMENT = _module((STATIC / "embed" / "mcp-inbox.js").read_text("utf-8"))
