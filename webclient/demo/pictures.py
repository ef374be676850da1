"""The demo's two pictures, small enough to travel inside a message: an icon and a postcard."""

from __future__ import annotations

from base64 import b64encode

from mcp.types import Icon

_SUITCASE = b"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2b7fb8" stroke-width="2">
  <rect x="3" y="8" width="18" height="12" rx="2"/><path d="M9 8V5h6v3M8 8v12M16 8v12"/>
</svg>
"""

ICON = Icon(src=f"data:image/svg+xml;base64,{b64encode(_SUITCASE).decode()}", mime_type="image/svg+xml", sizes=["any"])
"""A suitcase, as a `data:` URL: a client shows it without asking any other host."""

BEACH_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAgAgMAAAApuhOPAAAADFBMVEWf2PX/0Uorf7jo0qAH3lXVAAAAMUlEQVR42mNgoACEOiDY"
    "jKEBCA5raAiCIxoaShkHxTQUe1BcQBJYhQSozPmPBCjmAABlFIcO/kP3vAAAAABJRU5ErkJggg=="
)
"""A beach of 48 by 32 pixels, base64."""
