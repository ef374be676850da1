"""The clients that are recognised by their first messages, as they were measured."""

from __future__ import annotations

from tests.tables import each_row
from webclient.gateway.fingerprints import Signs, guessed_patience

PYTHON_2, PYTHON_1, NODE = "python-httpx2/2.16.2", "python-httpx/0.28.1", "node"

SEEN: dict[str, tuple[Signs, float | None]] = {
    "OpenAI Agents (Python)": (Signs(name="mcp", modern=True, user_agent=PYTHON_2, progress=False), 4),
    "FastMCP": (Signs(name="mcp", modern=True, user_agent=PYTHON_2, progress=True), 600),
    "Agent Framework": (Signs(name="mcp", modern=True, user_agent=PYTHON_2, progress=False, sampling=True), 270),
    "CrewAI": (Signs(name="mcp", modern=False, user_agent=PYTHON_1), 25),
    "LlamaIndex": (Signs(name="mcp", modern=False, user_agent=PYTHON_2), 25),
    "pydantic-ai": (Signs(name="fastmcp", modern=True, user_agent=PYTHON_2, progress=True), 270),
    "Google ADK": (Signs(name="google-adk", modern=False, user_agent="google-adk/2.13.0 gl-python/3.12.1"), 270),
    "Vercel AI SDK": (Signs(name="ai-sdk-mcp-client", modern=True, user_agent="ai-sdk/2.0.99 node.js/22"), 270),
    "Mastra": (Signs(name="the key of a config", modern=True, user_agent=NODE), 50),
    "Claude Agent SDK": (Signs(name="claude-code", modern=True, user_agent="claude-code/2.1.330", progress=True), 270),
    "the bridge of a client": (Signs(name="mcp", modern=True, user_agent="mcp-webclient"), None),
    "an unknown one": (Signs(name="my agent", modern=True, user_agent=PYTHON_2, progress=True), None),
    "one without any signs": (Signs(name="", modern=False, user_agent="", progress=False, sampling=False), None),
}


@each_row(("shown", "seconds"), SEEN.values())
def test_a_client_waits_as_long_as_measured(shown: Signs, seconds: float | None) -> None:
    assert guessed_patience(shown) == seconds
