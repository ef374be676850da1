"""A chat app on Chainlit: two people, an agent whose MCP tools ask them, and the inbox in the sidebar.

make example-chainlit
"""

from __future__ import annotations

import asyncio
import os
import secrets
from contextvars import Context
from typing import Annotated, Any

import chainlit as cl
import mcp_webclient_client
from agent import PEOPLE, Message, ToolUse, reply
from chainlit.auth import get_current_user, get_token_from_cookies
from chainlit.config import config
from chainlit.context import init_ws_context
from chainlit.server import app
from chainlit.session import WebsocketSession, ws_sessions_id
from fastapi import Depends, Header, HTTPException, Request, Response
from inbox import Inbox
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ORIGIN = os.environ["CHAT_ORIGIN"]
TRIPS = StdioServerParameters(command=os.environ["MCP_PYTHON"], args=["-m", "webclient.demo"])
inbox = Inbox.from_environment()
working: set[asyncio.Task[None]] = set()
conversations: dict[str, list[Message]] = {name: [] for name in PEOPLE}
"""The messages of each person and the agent, which a real app has in Chainlit's data layer."""

# A real app keeps this secret of its sessions: with a new one for each start, everyone signs in again.
os.environ.setdefault("CHAINLIT_AUTH_SECRET", secrets.token_hex(32))

# The module of the element <mcp-inbox>, which public/elements/Inbox.jsx shows.
config.ui.custom_js = f"{inbox.url}/embed/v1.js"
config.ui.custom_js_attributes = "type=module"

# Nothing from elsewhere but the inbox; Chainlit would load fonts and styles. It evaluates Inbox.jsx in the browser.
POLICY = (
    f"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' {inbox.url}; frame-src {inbox.url}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'"
)


class Policy:
    """Sends the policy with each response."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"content-security-policy", POLICY.encode())]
            await send(message)

        await self.inner(scope, receive, sent)


app.add_middleware(Policy)


@cl.password_auth_callback
async def sign_in(name: str, password: str) -> cl.User | None:
    """Sign in one of the people of this company, whose passwords are their names."""
    return cl.User(identifier=name, display_name=PEOPLE[name]) if name in PEOPLE and password == name else None


@app.post("/inbox-token")
async def inbox_token(
    user: Annotated[cl.User, Depends(get_current_user)], origin: Annotated[str, Header()] = ""
) -> dict[str, str]:
    """Mint a token for the person of the session, for pages of this app alone."""
    if origin != ORIGIN:
        raise HTTPException(403)
    return {"token": inbox.token(user.identifier)}


@cl.on_logout
async def sign_out(request: Request, _response: Response) -> None:
    """End the person's sessions of the inbox as well."""
    user = await get_current_user(get_token_from_cookies(request.cookies))
    await asyncio.to_thread(inbox.sign_out, user.identifier)


@cl.on_chat_start
async def greet() -> None:
    """Open the inbox, say what the agent can do, and show what was said before."""
    await open_inbox(cl.context.session)
    await cl.Message("I can book a trip, or reserve a table.").send()
    for message in conversations[person_of(cl.context.session)]:
        await show(message, cl.context.session)


@cl.on_message
async def listen(said: cl.Message) -> None:
    """Let the agent work in the background: the conversation goes on while a tool waits for the person."""
    # Of no step of Chainlit's, which other pages of the person would not know.
    task = asyncio.create_task(work(said.content, cl.context.session), context=Context())
    working.add(task)
    task.add_done_callback(working.discard)


@cl.on_chat_end
async def forget() -> None:
    """Begin a new conversation if the person wishes so; other pages have only been closed, or loaded again."""
    if cl.context.session.to_clear:
        conversations[person_of(cl.context.session)].clear()


async def work(text: str, page: WebsocketSession) -> None:
    """Let the agent use tools until it has something to say."""
    person = person_of(page)
    history: list[Message] = [{"role": "user", "content": text}]
    await add(person, history[0], besides=page)
    try:
        while isinstance(step := reply(history), ToolUse):
            wait = f"I use {step.tool}. If it has a question for you, you find it beside this."
            await add(person, {"role": "assistant", "content": wait})
            await open_inbox(page)
            history.append({"role": "tool", "content": await call(person, step)})
    except Exception as error:  # noqa: BLE001  (nothing else would tell the person)
        step = f"That did not work. {error}"
    await add(person, {"role": "assistant", "content": step})


async def add(person: str, message: Message, besides: WebsocketSession | None = None) -> None:
    """Add a message to the person's conversation, and show it on their pages."""
    conversations[person].append(message)
    for session in list(ws_sessions_id.values()):
        if person_of(session) == person and session is not besides:
            await show(message, session)


async def open_inbox(session: WebsocketSession) -> None:
    """Open the sidebar with the inbox on one page, unless it is open there."""
    init_ws_context(session)
    element = cl.CustomElement(name="Inbox", props={"src": f"{inbox.url}/embed/chat"})
    await cl.ElementSidebar.set_elements([element], key="inbox")
    await cl.ElementSidebar.set_title("Questions for you")


async def show(message: Message, session: WebsocketSession) -> None:
    """Show a message on one page."""
    init_ws_context(session)
    kind = "user_message" if message["role"] == "user" else "assistant_message"
    await cl.Message(message["content"], type=kind).send()


def person_of(session: WebsocketSession) -> str:
    """Return the person who is signed in on a page."""
    return session.user.identifier if session.user else ""


async def call(person: str, use: ToolUse) -> str:
    """Call a tool of the agent's own MCP server; its questions go to the person's inbox."""
    ask = mcp_webclient_client.Inbox(inbox.url, mint=lambda: inbox.token(person, "ask"), label=use.server)
    async with (
        stdio_client(TRIPS) as (read, write),
        ClientSession(read, write, elicitation_callback=ask) as session,
    ):
        await session.initialize()
        result = await session.call_tool(use.tool, use.arguments)
    return " ".join(block.text for block in result.content if block.type == "text")
