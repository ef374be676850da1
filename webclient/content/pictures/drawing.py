"""Redraws a hostile picture as a still one of bounded size; runs in a separate process.

No byte of the original reaches the browser: the result is encoded here from pixels.
"""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from xml.etree import ElementTree as ET

import resvg_py
from PIL import Image, ImageFile, UnidentifiedImageError

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF")
"""The accepted formats, for any declared type; MCP names PNG, JPEG, WebP and SVG (2025-11-25, Icons)."""

MOST_PIXELS = 25_000_000
"""The largest picture that is decoded; each pixel takes four bytes, and for a moment eight."""

MOST_SVG_BYTES = 1_048_576
"""The largest SVG that is read; time and memory bound the cost of drawing."""

# Browsers show truncated pictures and wrong checksums as far as they can; the reference server sends one.
ImageFile.LOAD_TRUNCATED_IMAGES = True

SVG = "http://www.w3.org/2000/svg"
_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
_LENGTH = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(?:px)?\s*", re.ASCII)


class UndrawableError(Exception):
    """The picture cannot or must not be drawn; the argument is the code of a `Refusal`."""


def draw(data: bytes, box: int, *, vector: bool) -> bytes:
    """Return the picture as a PNG or JPEG of at most `box` pixels a side. Raises UndrawableError.

    `vector`: it was declared as SVG. Of an animation, the first frame is drawn.
    """
    try:
        return _drawn_svg(data, box) if vector else _drawn_pixels(data, box)
    except (MemoryError, RecursionError):
        raise UndrawableError("costly") from None


def _drawn_pixels(data: bytes, box: int) -> bytes:
    # Pillow only warns about large pictures; the size is checked here, before any pixel is decoded.
    warnings.simplefilter("ignore", Image.DecompressionBombWarning)
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise UndrawableError("large")
            jpeg = picture.format == "JPEG"
            picture.thumbnail((box, box))
            still = picture.convert("RGB" if jpeg else "RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        raise UndrawableError("unreadable") from error
    except Image.DecompressionBombError:
        raise UndrawableError("large") from None
    return _encoded(still, "JPEG" if jpeg else "PNG")


def _encoded(picture: Image.Image, format_name: str) -> bytes:
    written = BytesIO()
    # Encoded from the pixels alone, without metadata such as the place where a photo was taken.
    picture.save(written, format_name, **({"quality": 88} if format_name == "JPEG" else {"compress_level": 3}))
    return written.getvalue()


def _drawn_svg(data: bytes, box: int) -> bytes:
    if len(data) > MOST_SVG_BYTES:
        raise UndrawableError("large")
    try:
        root = ET.fromstring(data)  # noqa: S314  (Python's expat bounds entities; time and memory are bounded here)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise UndrawableError("unreadable") from error
    if root.tag != f"{{{SVG}}}svg":
        raise UndrawableError("unreadable")
    _remove_file_references(root)
    _fit(root, box)
    try:
        # The checked tree is drawn, and not the original bytes.
        return bytes(resvg_py.svg_to_bytes(svg_string=ET.tostring(root, encoding="unicode")))
    except ValueError as error:
        raise UndrawableError("unreadable") from error


def _remove_file_references(root: ET.Element) -> None:
    """Remove all references out of the picture: resvg would read files of this computer."""
    for element in root.iter():
        for name in _HREFS:
            target = element.get(name, "").strip()
            if target and not target.startswith("#") and not target.lower().startswith("data:"):
                del element.attrib[name]


def _fit(root: ET.Element, box: int) -> None:
    """Scale the picture into the box, by its own size or view box."""
    width, height = _length(root.get("width")), _length(root.get("height"))
    parts = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    view = [_length(each) for each in parts[2:]] if len(parts) == 4 else []
    shape = (width, height) if width and height else tuple(view) if len(view) == 2 and all(view) else (300.0, 150.0)
    wide, high = (each or 1.0 for each in shape)
    if not root.get("viewBox"):
        root.set("viewBox", f"0 0 {wide} {high}")
    scale = box / max(wide, high)
    if width and height:
        scale = min(scale, 1)
    root.set("width", str(max(1, round(wide * scale))))
    root.set("height", str(max(1, round(high * scale))))


def _length(text: str | None) -> float | None:
    found = _LENGTH.fullmatch(text or "")
    return float(found[1]) or None if found else None
