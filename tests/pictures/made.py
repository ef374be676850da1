"""Pictures for tests: ordinary ones, and ones that are expensive to draw."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

from PIL import Image

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><rect width="24" height="12" fill="#f00"/></svg>'
HANGS = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><filter id="f">'
    b'<feTurbulence baseFrequency="0.1" numOctaves="100000000"/></filter>'
    b'<rect width="9" height="9" filter="url(#f)"/></svg>'
)
"""A filter that never ends."""


def nested_uses(depth: int = 12, width: int = 10) -> bytes:
    """Return an SVG of about 1.4 kB that draws `width ** depth` squares: it hangs a browser's tab."""
    groups = "".join(f'<g id="g{n}">' + f'<use xlink:href="#g{n - 1}"/>' * width + "</g>" for n in range(1, depth))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><defs>'
        f'<g id="g0"><rect width="1" height="1"/></g>{groups}</defs><use xlink:href="#g{depth - 1}"/></svg>'
    ).encode()


def pixels(format_name: str, size: tuple[int, int] = (40, 20), frames: int = 1) -> bytes:
    """Return a red picture in that format, animated if it has several frames."""
    written = BytesIO()
    pictures = [Image.new("RGB", size, (255, n, 0)) for n in range(frames)]
    more = {"save_all": True, "append_images": pictures[1:]} if frames > 1 else {}
    pictures[0].save(written, format_name, **more)
    return written.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """Return a small PNG whose header claims so many pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b""))
    )


def png_with_wrong_checksum() -> bytes:
    """Return a PNG whose colour profile has a wrong checksum, which browsers show.

    The logo of the reference server is one.
    """
    data = pixels("PNG")
    body = b"iCCP" + b"a profile\0\0" + zlib.compress(b"none")
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body) ^ 1)
    header_ends = 33
    return data[:header_ends] + chunk + data[header_ends:]


def size_of(data: bytes) -> tuple[int, int]:
    """Return the width and height of a picture."""
    with Image.open(BytesIO(data)) as picture:
        return picture.size
