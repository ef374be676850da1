"""A chat app in Streamlit: the inbox is a component beside the conversation.

    make example-streamlit

Streamlit runs this file from top to bottom at each event of the page, also at those of the inbox. So no run waits for a
person: a call goes on by itself, and the run that finds it ended goes on with the conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import streamlit as st
from agent import PEOPLE, Message, ToolUse, reply
from inbox import Inbox, InboxError

HERE = Path(__file__).parent
inbox_component = st.components.v2.component(
    "inbox", css=(HERE / "inbox.css").read_text("utf-8"), js=(HERE / "inbox.js").read_text("utf-8")
)


@dataclass
class Conversation:
    """The messages of one person and the agent, and what is open: calls that run, and a message without a reply."""

    history: list[Message] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    awaits_reply: bool = False
    lock: Lock = field(default_factory=Lock)


@st.cache_resource
def company() -> tuple[Inbox, dict[str, Conversation]]:
    """Return what outlives a run: the inbox, and the conversations, which a real app has in a database."""
    return Inbox.from_environment(), {name: Conversation() for name in PEOPLE}


def hear(conversation: Conversation) -> None:
    """Take what the person has said: before the run, as an event of the inbox may end a run at any line."""
    with conversation.lock:
        conversation.history.append({"role": "user", "content": st.session_state.said})
        conversation.awaits_reply = True


def let_the_agent_go_on(person: str, conversation: Conversation) -> None:
    """Ask the agent what to do after the last message: say something, or use a tool in the person's name."""
    step = reply(conversation.history)
    if isinstance(step, ToolUse):
        conversation.calls.append(inbox.start_call(person, step.server, step.tool, step.arguments))
    else:
        conversation.history.append({"role": "assistant", "content": step})


def take_results(person: str, conversation: Conversation) -> None:
    """Give the results of calls that have ended to the agent."""
    for call_id in list(conversation.calls):
        if (text := inbox.result(person, call_id, wait=0)) is not None:
            conversation.calls.remove(call_id)
            conversation.history.append({"role": "tool", "content": text})
            let_the_agent_go_on(person, conversation)


def show(conversation: Conversation) -> None:
    """Show the messages, without those of tools."""
    for message in conversation.history:
        if message["role"] != "tool":
            st.chat_message(message["role"]).write(message["content"])
    if conversation.calls:
        st.chat_message("assistant").caption("I am on it. If I need you, a question appears in your inbox.")


def show_inbox(person: str) -> None:
    """Show the person's inbox; each of its events runs this file again, and one asks for a new token."""

    def mint() -> None:
        st.session_state.token = inbox.token(person)

    data = {"src": f"{inbox.url}/embed/chat", "token": st.session_state.get("token"), "scheme": st.context.theme.type}
    inbox_component(key=f"inbox of {person}", data=data, on_token_needed_change=mint, on_news_change=lambda: None)


def sign_in() -> None:
    """Let the person say who they are; in a real app, `st.login()` and `st.user.sub`."""
    st.write("Who are you?")
    for name, label in PEOPLE.items():
        if st.button(f"Sign in as {label}"):
            st.session_state.person = name
            st.rerun()
    st.stop()


def sign_out(person: str) -> None:
    """Forget who the person is, and end the sessions of their frames."""
    st.session_state.clear()
    inbox.sign_out(person)


st.set_page_config(page_title="A chat with an inbox", layout="wide")
st.title("A chat with an inbox")
inbox, conversations = company()
person = st.session_state.get("person") or sign_in()
conversation = conversations[person]
st.chat_input("Book me a trip, or reserve a table", key="said", on_submit=hear, args=(conversation,))
try:
    with conversation.lock:  # the person may have two tabs
        if conversation.awaits_reply:
            let_the_agent_go_on(person, conversation)
            conversation.awaits_reply = False
        take_results(person, conversation)
except InboxError as error:
    st.error(f"That did not work. {error}")

left, right = st.columns([3, 2], gap="large")
with left:
    show(conversation)
with right:
    show_inbox(person)
    st.button(f"Sign out {PEOPLE[person]}", on_click=sign_out, args=(person,), type="tertiary")
