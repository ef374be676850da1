"""More kinds of published servers, for `make servers` alone: most ask nothing, so they are connected and listed.

What needs a browser, an account or a database that is not there is not run.
"""

from __future__ import annotations

from tests.mcp_servers import ROOT
from tests.real.published import (
    CANCEL,
    DECLINE,
    PUSH,
    ROUNDS,
    Dialogue,
    Published,
    accept,
    each,
    node,
    python,
)
from webclient.domain.model import Era

_NODE = ROOT / "build/servers-npm/node_modules"
_REFERENCE = ROOT / "build/servers-reference"
_FASTMCP_2 = ROOT / "build/servers-fastmcp-2"
_WORKSPACE = ROOT / "build/servers-workspace"

_ORDERS = each(
    "order",
    {},
    (accept(drink="tea", cups=2), {"drink": "tea", "cups": 2}),
    (DECLINE, "decline"),
    (CANCEL, "cancel"),
)

_ON_FASTMCP_2 = '''
from dataclasses import dataclass
import json

from fastmcp import Context, FastMCP

server = FastMCP("ours-on-fastmcp-2")


@dataclass
class Order:
    drink: str
    cups: int


@server.tool
async def order(context: Context) -> str:
    """Order a drink."""
    got = await context.elicit("What would you like?", response_type=Order)
    return json.dumps(vars(got.data)) if got.action == "accept" else got.action


server.run(show_banner=False)
'''

_ON_FASTMCP_NPM = """
const [packages] = process.argv.slice(2);
const { FastMCP } = await import(`${packages}/fastmcp/dist/FastMCP.js`);
const server = new FastMCP({ name: "ours-on-fastmcp", version: "1.0.0" });
const requestedSchema = {
  type: "object",
  properties: { drink: { type: "string", enum: ["tea", "coffee"] }, cups: { type: "integer" } },
};
server.addTool({
  name: "order",
  description: "Order a drink.",
  execute: async (_arguments, context) => {
    const got = await context.elicit({ message: "What would you like?", requestedSchema });
    return got.action === "accept" ? JSON.stringify(got.content) : got.action;
  },
});
await server.start({ transportType: "stdio" });
"""


_ON_MASTRA = """
const [packages] = process.argv.slice(2);
const { MCPServer } = await import(`${packages}/@mastra/mcp/dist/index.js`);
const inputSchema = { type: "object", properties: {} };
const order = {
  id: "order",
  description: "Order a drink.",
  parameters: inputSchema,
  inputSchema,
  execute: async (_input, context) => {
    const requestedSchema = { type: "object", properties: { drink: { type: "string" } } };
    return JSON.stringify(await context.mcp.elicitation.sendRequest({ message: "Which drink?", requestedSchema }));
  },
};
await new MCPServer({ name: "ours-on-mastra", version: "1.0.0", tools: { order } }).startStdio();
"""

_BEHIND = """
PORT=$1 node "$2" streamableHttp >&2 &
until node -e 'require("net").connect(process.argv[1], "localhost").on("error", () => process.exit(1)).unref().on(
  "connect", () => process.exit(0)).ref()' "$1"; do :; done
port=$1
shift 2
exec node "$@" "http://localhost:$port/mcp"
"""
"""Starts a bridge over stdio, and server-everything over HTTP behind it."""


def _bridge(*arguments: str) -> tuple[str, ...]:
    everything = node("@modelcontextprotocol/server-everything/dist/index.js")[1]
    return ("sh", "-c", _BEHIND, "sh", "{upstream port}", everything, *arguments)


def _listed(
    package: str, sdk: str, *command: str, era: Era = PUSH, calls: tuple[Dialogue, ...] = (), **more: str
) -> Published:
    """Return a server that asks nothing; `more` is its environment."""
    return Published(name=package, package=package, sdk=sdk, command=command, environment=more, dialogues={era: calls})


def _node(script: str, *arguments: str) -> tuple[str, ...]:
    return ("node", str(_NODE / script), *arguments)


_TYPESCRIPT = "TypeScript SDK"
_PYTHON = "Python SDK 2"

SERVERS = [
    _listed(
        "@modelcontextprotocol/server-filesystem",
        _TYPESCRIPT,
        *node("@modelcontextprotocol/server-filesystem/dist/index.js", "{folder}"),
        calls=(Dialogue("list_allowed_directories", {}, (), "Allowed directories"),),
    ),
    _listed(
        "@modelcontextprotocol/server-memory",
        _TYPESCRIPT,
        *_node("@modelcontextprotocol/server-memory/dist/index.js"),
        calls=(Dialogue("read_graph", {}, (), {"entities": [], "relations": []}),),
        MEMORY_FILE_PATH="{folder}/memory.jsonl",
    ),
    _listed(
        "@modelcontextprotocol/server-sequential-thinking",
        _TYPESCRIPT,
        *_node("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
    ),
    _listed(
        "@modelcontextprotocol/server-budget-allocator",
        _TYPESCRIPT,
        *_node("@modelcontextprotocol/server-budget-allocator/dist/index.js", "--stdio"),
    ),
    _listed(
        "@modelcontextprotocol/server-map",
        _TYPESCRIPT,
        *_node("@modelcontextprotocol/server-map/dist/index.js", "--stdio"),
    ),
    _listed(
        "@modelcontextprotocol/server-pdf",
        _TYPESCRIPT,
        *_node("@modelcontextprotocol/server-pdf/dist/index.js", "--stdio"),
    ),
    _listed(
        "@cyanheads/git-mcp-server", _TYPESCRIPT, *_node("@cyanheads/git-mcp-server/dist/index.js"), HOME="{folder}"
    ),
    _listed("@playwright/mcp", _TYPESCRIPT, *_node("@playwright/mcp/cli.js")),
    _listed("chrome-devtools-mcp", _TYPESCRIPT, *_node("chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js")),
    _listed("@sentry/mcp-server", _TYPESCRIPT, *_node("@sentry/mcp-server/dist/index.js", "--access-token=none")),
    _listed(
        "@zereight/mcp-gitlab",
        _TYPESCRIPT,
        *_node("@zereight/mcp-gitlab/build/index.js"),
        GITLAB_PERSONAL_ACCESS_TOKEN="none",
    ),
    _listed(
        "@notionhq/notion-mcp-server",
        _TYPESCRIPT,
        *_node("@notionhq/notion-mcp-server/bin/cli.mjs"),
        NOTION_TOKEN="none",
    ),
    _listed(
        "@wonderwhy-er/desktop-commander",
        _TYPESCRIPT,
        *_node("@wonderwhy-er/desktop-commander/dist/index.js"),
        HOME="{folder}",
    ),
    Published(
        name="a server of ours on FastMCP for Node.js",
        package="fastmcp",
        pinned_in="servers-npm",
        sdk="fastmcp (npm)",
        ours=True,
        command=("node", "{folder}/ours.mjs", str(_NODE)),
        files={"ours.mjs": _ON_FASTMCP_NPM},
        dialogues={PUSH: _ORDERS},
    ),
    Published(
        name="a server of ours on Mastra",
        package="@mastra/mcp",
        sdk="Mastra",
        ours=True,
        command=("node", "{folder}/ours.mjs", str(_NODE)),
        files={"ours.mjs": _ON_MASTRA},
        remark="Speaks 2026-07-28 only, and cannot ask in it; choosing 2025-11-25 is refused and undone.",
        dialogues={ROUNDS: (Dialogue("order", {}, (), "", PUSH),)},
    ),
    Published(
        name="mcp-remote in front of server-everything",
        package="mcp-remote",
        sdk="mcp-remote",
        command=_bridge(str(_NODE / "mcp-remote/dist/proxy.js")),
        environment={"MCP_REMOTE_CONFIG_DIR": "{folder}"},
        dialogues={
            PUSH: (
                *each(
                    "trigger-elicitation-request",
                    {},
                    (accept(name="Ada"), {"action": "accept", "content": {"name": "Ada"}}),
                    (DECLINE, '"action": "decline"'),
                ),
                Dialogue("echo", {"message": "tea"}, (), "Echo: tea"),
            )
        },
    ),
    Published(
        name="supergateway over stdio in front of server-everything",
        package="supergateway",
        sdk="supergateway",
        command=_bridge(str(_NODE / "supergateway/dist/index.js"), "--streamableHttp"),
        remark="Passes no questions on, so its tools are only run.",
        dialogues={PUSH: (Dialogue("echo", {"message": "tea"}, (), "Echo: tea"),)},
    ),
    Published(
        name="supergateway in front of server-everything",
        package="supergateway",
        sdk="supergateway",
        listening={
            "http": (
                *_node("supergateway/dist/index.js", "--outputTransport", "streamableHttp", "--stateful"),
                *("--port", "{port}", "--stdio"),
                " ".join(node("@modelcontextprotocol/server-everything/dist/index.js")),
            )
        },
        dialogues={PUSH: (Dialogue("echo", {"message": "tea"}, (), "Echo: tea"),)},
    ),
    _listed(
        "mcp-server-git",
        _PYTHON,
        *python(_REFERENCE, "mcp-server-git"),
        era=ROUNDS,
    ),
    _listed(
        "mcp-server-time",
        _PYTHON,
        *python(_REFERENCE, "mcp-server-time", "--local-timezone", "UTC"),
        era=ROUNDS,
        calls=(Dialogue("get_current_time", {"timezone": "Asia/Tokyo"}, (), "Asia/Tokyo"),),
    ),
    _listed("mcp-server-fetch", _PYTHON, *python(_REFERENCE, "mcp-server-fetch"), era=ROUNDS),
    _listed(
        "mcp-grafana",
        "Go SDK",
        *python(_REFERENCE, "mcp-grafana"),
        GRAFANA_URL="http://127.0.0.1:9",
    ),
    _listed(
        "workspace-mcp",
        "FastMCP 4",
        *python(_WORKSPACE, "workspace-mcp", "--single-user"),
        era=ROUNDS,
        HOME="{folder}",
        GOOGLE_OAUTH_CLIENT_ID="none",
        GOOGLE_OAUTH_CLIENT_SECRET="none",
    ),
    Published(
        name="a server of ours on FastMCP 2",
        package="fastmcp",
        pinned_in="servers-fastmcp-2",
        sdk="FastMCP 2",
        ours=True,
        command=python(_FASTMCP_2, "python", "{folder}/ours.py"),
        files={"ours.py": _ON_FASTMCP_2},
        dialogues={PUSH: _ORDERS},
    ),
]
