"""Starts mcp-webclient and an agent of a published framework beside it, with one command:

    python examples/agents/run.py openai-agents

The agent calls a tool through the gateway, the tool asks, and the card is in the inbox, whose link is printed. The
model of the agent follows a script, so nothing here needs a key or a network. Each line is a further task, an empty one
the first one again; Ctrl-C ends it all. With MCP_URL and MCP_TOKEN, the agent has lines alone, and the server there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from model import scripted_model

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILT = ROOT / "build" / "examples" / "agents"
AGENTS = sorted(each.parent.name for each in HERE.glob("*/agent.*"))
TASK = "Book me a trip on 2026-12-24"

KEYS = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
"""Keys have to be there, and open nothing."""

SILENT = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false"}
SILENT |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
"""Frameworks report to their makers otherwise."""


def command_of(name: str) -> tuple[list[str], Path]:
    """Return the command that runs an agent with its own packages, and its folder."""
    if not (BUILT / name / ".installed").exists():
        sys.exit(f"Use make example-agents AGENT={name}: it installs the packages first.")
    if (script := HERE / name / "agent.mjs").exists():
        # As a text, because Node.js looks for packages beside a file, and these are elsewhere.
        return ["node", "--input-type=module", "--eval", script.read_text("utf-8")], BUILT / name
    return [str(BUILT / name / "bin" / "python"), str(HERE / name / "agent.py")], HERE


def program(programs: ExitStack, command: list[str], **options: Any) -> subprocess.Popen[str]:
    """Run a program until the stack is closed."""
    # In a group of its own: Ctrl-C reaches this program alone, which ends the others in order.
    process = subprocess.Popen(command, encoding="utf-8", process_group=0, **options)
    programs.enter_context(process)
    programs.callback(process.terminate)
    return process


def inbox(programs: ExitStack, folder: str) -> str:
    """Start mcp-webclient with the demo's server, and return the link that signs a browser in."""
    servers = {"trips": {"command": sys.executable, "args": ["-m", "webclient.demo"]}}
    Path(folder, "mcp.json").write_text(json.dumps({"mcpServers": servers}), "utf-8")
    command = [sys.executable, "-m", "webclient", "serve", "--port", "0", "--data-dir", f"{folder}/data"]
    command += ["--config", f"{folder}/mcp.json", "--open" if sys.stdout.isatty() else "--no-open"]
    process = program(programs, command, stdout=subprocess.PIPE, cwd=ROOT)
    ready = next((line for line in process.stdout or () if line.startswith("Ready: ")), "")
    return ready.removeprefix("Ready: ").strip() or sys.exit("mcp-webclient did not start; the reason stands above.")


def token_for(name: str, folder: str) -> str:
    """Return a token with which the agent may use the gateway; its cards have the name."""
    command = [sys.executable, "-m", "webclient", "tokens", "create", name, "--scope", "gateway"]
    made = subprocess.run([*command, "--data-dir", f"{folder}/data"], cwd=ROOT, capture_output=True, check=True)
    return made.stdout.decode().strip()


def start(name: str) -> None:
    """Run the agent, and send it each task, until there are no more."""
    command, place = command_of(name)
    with tempfile.TemporaryDirectory() as folder, scripted_model() as model, ExitStack() as programs:
        # In a home of its own, so that no settings of yours change how it behaves.
        variables = KEYS | SILENT | {"OPENAI_BASE_URL": f"{model}/v1", "ANTHROPIC_BASE_URL": model, "HOME": folder}
        if not os.environ.get("MCP_URL"):
            link = inbox(programs, folder)
            address = "{0.scheme}://{0.netloc}".format(urlsplit(link))
            variables |= {"MCP_URL": f"{address}/mcp/trips", "MCP_TOKEN": token_for(f"Travel agent, {name}", folder)}
            print(f"Inbox: {link}", f"Asking {name}: {TASK}", "Answer its card in the inbox.", sep="\n", flush=True)
        environment = os.environ | variables
        agent = program(programs, command, stdin=subprocess.PIPE, bufsize=1, env=environment, cwd=place)
        if agent.stdin:
            if "MCP_URL" in variables:
                print(TASK, file=agent.stdin)
            for line in sys.stdin:
                print(line.strip() or TASK, file=agent.stdin)
            agent.stdin.close()
        sys.exit(agent.wait())


if __name__ == "__main__":
    for end in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, lambda *_arguments: sys.exit())
    if sys.argv[1:2] not in [[name] for name in AGENTS]:
        sys.exit(f"Usage: python examples/agents/run.py {' | '.join(AGENTS)}")
    try:
        start(sys.argv[1])
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit("The agent has ended.")
