"""Programs of the system's packages that operators run beside ours: the system's own, or unpacked into build/."""

from __future__ import annotations

import os
import shutil

from tests.mcp_servers import ROOT

_UNPACKED = [ROOT / "build" / name / "usr" for name in ("proxies", "operations")]


def unpacked(name: str) -> str | None:
    """Return the path of a program, or None if it is not here."""
    folders = [folder / part for folder in _UNPACKED for part in ("bin", "sbin")]
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", *map(str, folders)]))


def libraries() -> dict[str, str]:
    """Return the environment variable by which an unpacked program finds its libraries."""
    found = sorted({str(path.parent) for folder in _UNPACKED for path in folder.glob("lib/*/lib*.so*")})
    return {"LD_LIBRARY_PATH": os.pathsep.join(found)} if found else {}
