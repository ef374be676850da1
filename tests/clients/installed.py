"""The client package for TypeScript as npm installs it: what its manifest lists, beside what it works with."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from tests.mcp_servers import ROOT

CLIENTS = ROOT / "build/clients/node_modules"
PACKAGE = ROOT / "clients/typescript"
BESIDE = ("@modelcontextprotocol", "@types", "standardwebhooks")


def installed(folder: Path) -> Path:
    """Install the package in a folder with the scripts of its tests."""
    return installed_beside(folder, [CLIENTS / name for name in BESIDE], Path(__file__).parent.glob("*.m[jt]s"))


def installed_beside(folder: Path, packages: Iterable[Path], scripts: Iterable[Path]) -> Path:
    """Install the package in a folder beside other packages, with scripts."""
    package = folder / "node_modules/mcp-webclient-client"
    package.mkdir(parents=True)
    for name in ["package.json", *json.loads((PACKAGE / "package.json").read_text("utf-8"))["files"]]:
        copy = shutil.copytree if (PACKAGE / name).is_dir() else shutil.copy
        copy(PACKAGE / name, package / name)
    for other in packages:
        (folder / "node_modules" / other.name).symlink_to(other)
    for script in scripts:
        shutil.copy(script, folder)
    return folder
