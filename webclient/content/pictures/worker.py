"""The drawing process: `python -m webclient.content.pictures.worker` draws pictures from stdin, one after the other.

It may be killed at any moment and has no secrets: no environment, and no files except fonts. A request is a `REQUEST`
and the picture; an answer is an `ANSWER` and the drawn picture, or a refusal code.
"""

from __future__ import annotations

import struct
import sys

from webclient.content.pictures.drawing import UndrawableError, draw

REQUEST = struct.Struct(">?II")
"""Whether it was declared as SVG, the box in pixels, and the length of the picture in bytes."""

ANSWER = struct.Struct(">?I")
"""Whether it was drawn, and the length of the data after it."""

MEMORY = 512 * 2**20
"""Bytes of address space that drawing may take."""

SECONDS = 5
"""Seconds of CPU time for one picture, in case no parent is left to kill this process."""


def main() -> None:
    """Draw until stdin ends."""
    pipe_in, pipe_out = sys.stdin.buffer, sys.stdout.buffer
    while len(header := pipe_in.read(REQUEST.size)) == REQUEST.size:
        vector, box, length = REQUEST.unpack(header)
        _bound()
        try:
            answer = True, draw(pipe_in.read(length), box, vector=vector)
        except UndrawableError as error:
            answer = False, str(error).encode()
        pipe_out.write(ANSWER.pack(answer[0], len(answer[1])) + answer[1])
        pipe_out.flush()


def _bound() -> None:
    """Set resource limits, by which the kernel kills this process; Windows has none."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (Windows has none)

    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + SECONDS, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
