"""A language model that follows a script, behind the addresses of OpenAI, Anthropic and Gemini: no network or key.

It calls the tool `book_trip` with the date in the task, and then does what a result says, as a good model does: it
fetches the result of a call that waits for a person, and makes a call that its client gave up again.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

Json = dict[str, Any]

TOOL = "book_trip"
SEARCH = "ToolSearch"
"""The tool with which Claude finds the other ones."""

MOST_CALLS = 9
"""Calls for one task, after which the script ends in any case."""

_DATE = re.compile(r"\bon (\d{4}-\d\d-\d\d)")
_LATER = re.compile(r"Call (\w+) with (\{[^{}]*\})")
_GIVEN_UP = re.compile(r"try again|timed? ?out|attempts|aborted", re.IGNORECASE)


class Said(NamedTuple):
    """One entry of a conversation: what a person wrote, or what a tool returned."""

    text: str
    is_result: bool = False


class Step(NamedTuple):
    """The next step of the script: the last answer, or a call of a tool."""

    text: str = ""
    tool: str = ""
    arguments: Json = {}  # noqa: RUF012  (never changed)


def next_step(said: Sequence[Said], tools: Sequence[str]) -> Step:
    """Return what the script does after this conversation, if the tools have these names."""
    tasks = [number for number, each in enumerate(said) if not each.is_result and _DATE.search(each.text)]
    if not tasks:
        return Step(text="On which day? Write it as: Book a trip on 2026-12-24")
    results = [each.text for each in said[tasks[-1] :] if each.is_result and SEARCH not in each.text]
    if len(results) >= MOST_CALLS:
        return Step(text="That took too many calls.")
    if results and "Stop waiting" in results[-1]:
        return Step(text="A person is being asked, and has not answered yet. Send me the task again later.")
    if results and (later := _LATER.search(results[-1])):
        return _use(later[1], json.loads(later[2]), tools)
    if not results or _GIVEN_UP.search(results[-1]):
        dates = _DATE.findall(said[tasks[-1]].text)
        return _use(TOOL, {"date": dates[-1]}, tools)
    return Step(text=f"The travel desk says: {results[-1].strip()}")


def _use(name: str, arguments: Json, tools: Sequence[str]) -> Step:
    """Return a call of the tool, which some frameworks name after its server, or first a search for it."""
    if found := next((each for each in tools if each.endswith(name)), ""):
        return Step(tool=found, arguments=arguments)
    if SEARCH in tools:
        return Step(tool=SEARCH, arguments={"query": name, "max_results": 1})
    return Step(text=f"I have no tool named {name}.")


def _texts(content: object) -> str:
    """Return the text of a message, which is a text or a list of blocks."""
    if isinstance(content, str) and content.startswith('[{"'):
        # One framework writes the blocks of a result into a text.
        content = json.loads(content)
    blocks: list[Any] = content if isinstance(content, list) else [content]
    return "\n".join(each if isinstance(each, str) else _text(each) for each in blocks if each)


def _text(block: Json) -> str:
    # What a search has found has no text.
    return SEARCH if block.get("type") == "tool_reference" else str(block.get("text", ""))


def chat_completions(given: Json) -> Json:
    """Answer as OpenAI's older API does, which most frameworks speak."""
    said = [Said(_texts(each.get("content")), each["role"] == "tool") for each in given["messages"]]
    step = next_step(said, [each["function"]["name"] for each in given.get("tools") or []])
    message: Json = {"role": "assistant", "content": step.text or None}
    if step.tool:
        function = {"name": step.tool, "arguments": json.dumps(step.arguments)}
        message["tool_calls"] = [{"id": _id("call"), "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if step.tool else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": _id("chatcmpl"), "object": "chat.completion", "created": 0, "model": given["model"]}
    return head | {"choices": [choice], "usage": usage}


def responses(given: Json) -> Json:
    """Answer as OpenAI's newer API does."""
    items = [{"content": given["input"]}] if isinstance(given["input"], str) else given["input"]
    said = [
        Said(_texts(each.get("output", each.get("content"))), each.get("type") == "function_call_output")
        for each in items
    ]
    step = next_step(said, [each["name"] for each in given.get("tools") or [] if "name" in each])
    if step.tool:
        call = {"call_id": _id("call"), "name": step.tool, "arguments": json.dumps(step.arguments)}
        output: Json = {"type": "function_call", "id": _id("fc"), "status": "completed"} | call
    else:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        output = {"type": "message", "id": _id("msg"), "role": "assistant", "status": "completed", "content": content}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2} | details
    head = {"id": _id("resp"), "object": "response", "created_at": 0, "model": given["model"], "status": "completed"}
    settings = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
    return head | settings | {"output": [output], "usage": usage}


def messages(given: Json) -> list[Json]:
    """Answer as Anthropic's API does, with the events of a stream."""
    said = []
    for each in given["messages"]:
        blocks = each["content"] if isinstance(each["content"], list) else [{"type": "text", "text": each["content"]}]
        for block in blocks:
            if block["type"] == "tool_result":
                said.append(Said(_texts(block.get("content")), is_result=True))
            elif each["role"] == "user":
                said.append(Said(_texts([block])))
    step = next_step(said, [each["name"] for each in given.get("tools") or []])
    head = {"id": _id("msg"), "type": "message", "role": "assistant", "model": given["model"], "content": []}
    head |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    if step.tool:
        block = {"type": "tool_use", "id": _id("toolu"), "name": step.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step.text}
    end = {"stop_reason": "tool_use" if step.tool else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": head},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def generate_content(given: Json) -> Json:
    """Answer as the API of Gemini does."""
    parts = [part for each in given["contents"] for part in each["parts"]]
    said = [
        Said(json.dumps(part["functionResponse"]["response"]), is_result=True)
        if "functionResponse" in part
        else Said(part.get("text", ""))
        for part in parts
    ]
    tools = [tool["name"] for each in given.get("tools") or [] for tool in each.get("functionDeclarations") or []]
    step = next_step(said, tools)
    part = {"functionCall": {"name": step.tool, "args": step.arguments}} if step.tool else {"text": step.text}
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}


def _id(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request for the next step."""
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        if path.endswith("/chat/completions"):
            self._send("application/json", json.dumps(chat_completions(given)))
        elif path.endswith("/responses"):
            self._send("application/json", json.dumps(responses(given)))
        elif path.endswith("/messages"):
            events = (f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in messages(given))
            self._send("text/event-stream", "".join(events))
        elif path.endswith(":generateContent"):
            self._send("application/json", json.dumps(generate_content(given)))
        else:
            self.send_error(404)

    def _send(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Write nothing."""


@contextmanager
def scripted_model() -> Iterator[str]:
    """Run the model while the block runs, and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
