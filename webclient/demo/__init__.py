"""The bundled demo: a small travel desk that asks the person who books, and a little of everything else in MCP.

Written to be copied. Each tool is a plain function in a module of its own, `server` lists them, and the same code
serves clients of 2025-11-25, which are sent `elicitation/create`, and of 2026-07-28, which are answered
`input_required` and call again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

TRIPS, OFFICE, HOSTILE = "demo", "demo-office", "demo-hostile"
"""The names under which the command `demo` adds the servers, as in a config file."""

MODELS = Path(__file__).with_name("models.json")
"""The language models of the demo, which follow scripts."""


async def run_agent(address: str, token: str, tool: str, arguments: Mapping[str, Any]) -> None:
    """Run the agent of the demo until it has the result of its call."""
    from webclient.demo.agent import work  # noqa: PLC0415  (loads the SDK)

    await work(address, token, tool, arguments)


__all__ = ["HOSTILE", "MODELS", "OFFICE", "TRIPS", "run_agent"]
