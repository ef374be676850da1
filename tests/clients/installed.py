"""The client package for TypeScript as npm installs it: what its manifest lists, beside what it works with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.mcp_servers import ROOT

CLIENTS = ROOT / "build/clients/node_modules"
PACKAGE = ROOT / "clients/typescript"
BESIDE = ("@modelcontextprotocol", "@types", "standardwebhooks")


def installed(folder: Path) -> Path:
    """Install the package in a folder with the scripts of its tests."""
    package = folder / "node_modules/mcp-webclient-client"
    package.mkdir(parents=True)
    for name in ["package.json", *json.loads((PACKAGE / "package.json").read_text("utf-8"))["files"]]:
        shutil.copy(PACKAGE / name, package)
    for name in BESIDE:
        (folder / "node_modules" / name).symlink_to(CLIENTS / name)
    for script in Path(__file__).parent.glob("*.m[jt]s"):
        shutil.copy(script, folder)
    return folder
