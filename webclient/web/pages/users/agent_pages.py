"""The page of agents: the address of each server at the gateway, and the lines for the configuration of programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import Json, Server
from webclient.gateway import server_at, slug
from webclient.services import Services
from webclient.web.http import PrincipalDep, ServicesDep, based, render
from webclient.web.pages.page_context import read_page_context

SECRET = "TOKEN"  # noqa: S105  (what a person replaces)
"""The placeholder for the token."""

ALL = "inbox"
"""The name of the entry for all servers together."""

router = APIRouter(prefix="/agents", include_in_schema=False)


@router.get("")
async def show_agents(
    http_request: Request, services: ServicesDep, principal: PrincipalDep, server: str = ""
) -> HTMLResponse:
    """Show the addresses, and the lines for the server that was chosen, else for all."""
    servers = sorted(
        await services.store.of(principal.user_id).servers.all(), key=lambda each: (each.label.casefold(), each.id)
    )
    gateway = f"{_origin(http_request, services)}{based('/mcp')}"
    addresses = {each.id: f"{gateway}/{_last_part(each, servers)}" for each in servers}
    chosen = next((each for each in servers if each.id == server), servers[0] if len(servers) == 1 else None)
    name = addresses[chosen.id].rpartition("/")[2] if chosen else ALL
    return render(
        http_request,
        "agents/page.html",
        page_context=await read_page_context(services, principal.user_id),
        servers=servers,
        addresses=addresses,
        gateway=gateway,
        chosen=chosen,
        programs=lines_of_programs(name, addresses[chosen.id] if chosen else gateway),
        secret=SECRET,
        provider=http_request.app.state.identity.sign_in.provider_label,
        may_open=principal.is_admin and services.settings.has_users,
    )


def lines_of_programs(name: str, url: str) -> Mapping[str, tuple[str, str]]:
    """Return the file, if there is one, and the lines of each program."""
    headers = {"Authorization": f"Bearer {SECRET}"}
    bridge = {
        "command": "mcp-webclient",
        "args": ["stdio", "--url", url],
        "env": {"WEBCLIENT_AGENT_TOKEN": SECRET},
    }
    place = {"url": url, "headers": headers}
    langchain = json.dumps({name: {"transport": "streamable_http"} | place})
    vercel = json.dumps({"transport": {"type": "http"} | place})
    return {
        "Claude Code": ("", f'claude mcp add --transport http {name} {url} --header "Authorization: Bearer {SECRET}"'),
        "Claude Desktop": ("claude_desktop_config.json", _entry("mcpServers", name, bridge)),
        "Cursor": (".cursor/mcp.json", _entry("mcpServers", name, {"url": url, "headers": headers})),
        "VS Code": (".vscode/mcp.json", _entry("servers", name, {"type": "http", "url": url, "headers": headers})),
        "OpenAI Agents SDK": _code("agents.mcp", "MCPServerStreamableHttp", json.dumps(place)),
        "LangChain": _code("langchain_mcp_adapters.client", "MultiServerMCPClient", langchain),
        "pydantic-ai": _code("pydantic_ai.mcp", "MCPToolset", f'"{url}", headers={json.dumps(headers)}'),
        "CrewAI": _code("crewai.mcp", "MCPServerHTTP", f'url="{url}", headers={json.dumps(headers)}'),
        "FastMCP": _code("fastmcp", "Client", f'"{url}", auth="{SECRET}"'),
        "Vercel AI SDK": ("", f"import {{ createMCPClient }} from '@ai-sdk/mcp'\nawait createMCPClient({vercel})"),
    }


def _code(module: str, name: str, arguments: str) -> tuple[str, str]:
    return "", f"from {module} import {name}\n{name}({arguments})"


def _entry(key: str, name: str, entry: Json) -> str:
    return json.dumps({key: {name: entry}}, indent=2)


def _origin(http_request: Request, services: Services) -> str:
    """Return the address of this program for agents: the public one, else the one that the browser uses."""
    if url := services.settings.public_url:
        scheme, _, rest = str(url).partition("://")
        return f"{scheme}://{rest.partition('/')[0]}"
    return f"{http_request.url.scheme}://{http_request.url.netloc}"


def _last_part(server: Server, servers: Sequence[Server]) -> str:
    """Return the end of the address of a server: its label, or its ID if that leads elsewhere."""
    readable = slug(server.label)
    with suppress(ConflictError, NotFoundError):
        if readable.isascii() and server_at(readable, servers) is server:
            return readable
    return server.id
