"""Call forms made from a catalog, and read when they are posted."""

from __future__ import annotations

import re
from typing import Any

import pytest

from webclient.domain.errors import NotFoundError
from webclient.domain.model import Call, CallKind, Catalog, Server, ServerState, ServerStatus
from webclient.servers.connections import TaskSupport
from webclient.web.http.templating import render_text
from webclient.web.pages.page_context import ServerRow
from webclient.web.pages.servers.call_forms import CallForm, fill, find_call_form, refill
from webclient.web.pages.servers.runner import open_runner
from webclient.web.pages.servers.task_choice import TaskChoice

NESTED = {"type": "object", "properties": {"a": {"type": "object", "properties": {"n": {"type": "integer"}}}}}


def tool(schema: Any = None, **item: Any) -> CallForm:
    return find_call_form(Catalog(tools=[{"name": "t", "inputSchema": schema, **item}]), "tool", "t")


def test_of_tools_with_one_name_the_form_of_that_shape_is_found() -> None:
    catalog = Catalog(tools=[{"name": "t", "inputSchema": NESTED}, {"name": "t", "inputSchema": {"type": "object"}}])
    second = find_call_form(catalog, "tool", "t", tool({"type": "object"}).shape)
    assert (second.turn, second.is_repeated) == (2, True)
    assert find_call_form(catalog, "tool", "t", "unknown").turn == 1


def test_a_flat_schema_is_filled_in_as_fields_with_their_types() -> None:
    call_form = tool({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}})
    filled = fill(call_form, [("kind", "tool"), ("name", "t"), ("f0", "7"), ("f1", "")])
    assert not call_form.as_json
    assert (filled.kind, filled.name, filled.arguments, filled.errors) == (CallKind.TOOL, "t", {"n": 7}, {})


def test_invalid_arguments_come_back_as_typed() -> None:
    call_form = tool({"type": "object", "properties": {"n": {"type": "integer"}}})
    filled = fill(call_form, [("f0", "seven")])
    assert filled.errors.keys() == {"n"}
    assert filled.texts["f0"] == ["seven"]


def test_a_nested_schema_is_filled_in_as_fields_at_their_places() -> None:
    call_form = tool(NESTED)
    assert not call_form.as_json
    assert fill(call_form, [("f0.0", "7")]).arguments == {"a": {"n": 7}}
    wrong = fill(call_form, [("f0.0", "seven")])
    assert (wrong.errors, set(wrong.inside), wrong.is_right) == ({}, {"f0.0"}, False)


def test_arguments_written_as_json_are_sent_with_types_kept() -> None:
    filled = fill(
        tool(NESTED), [("arguments", '{"a": {"n": 1, "big": 12345678901234567890, "half": 0.5, "none": null}}')]
    )
    assert filled.arguments == {"a": {"n": 1, "big": 12345678901234567890, "half": 0.5, "none": None}}


@pytest.mark.parametrize("schema", [{"type": "object"}, {"properties": {}, "additionalProperties": True}, None, 7])
def test_a_tool_that_takes_anything_has_an_input_for_json(schema: Any) -> None:
    call_form = tool(schema)
    assert call_form.as_json
    assert fill(call_form, [("arguments", '{"a": [1]}')]).arguments == {"a": [1]}


def test_a_tool_without_arguments_has_nothing_to_fill_in() -> None:
    call_form = tool({"type": "object", "properties": {}})
    assert (call_form.as_json, call_form.form.fields, fill(call_form, []).arguments) == (False, (), {})


@pytest.mark.parametrize("text", ["{", "[1]", "7", '{"a": NaN}', '{"a": {"n": "1"}}', "[" * 100_000])
def test_json_that_cannot_be_called_with_is_refused_and_kept(text: str) -> None:
    filled = fill(tool(NESTED), [("arguments", text)])
    assert filled.errors
    assert filled.texts["arguments"] == [text]


def test_no_json_at_all_is_an_empty_object() -> None:
    assert fill(tool(NESTED), [("arguments", "  ")]).arguments == {}


def test_a_prompt_asks_for_its_arguments() -> None:
    prompt = {"name": "p", "arguments": [{"name": "a", "required": True, "title": "A"}, {"name": "b"}, "junk"]}
    call_form = find_call_form(Catalog(prompts=[prompt]), "prompt", "p")
    assert [(field.name, field.label, field.required) for field in call_form.form.fields] == [
        ("a", "A", True),
        ("b", "b", False),
    ]
    assert fill(call_form, [("f0", "x"), ("f1", "")]).arguments == {"a": "x"}


def test_a_resource_is_read_by_its_uri() -> None:
    call_form = find_call_form(Catalog(resources=[{"uri": "a://b", "name": "b"}]), "resource", "a://b")
    filled = fill(call_form, [])
    assert (filled.kind, filled.name, filled.arguments) == (CallKind.RESOURCE, "a://b", None)


def test_a_resource_template_is_read_by_the_uri_it_becomes() -> None:
    call_form = find_call_form(
        Catalog(resource_templates=[{"uriTemplate": "a://{x}{?y}", "name": "b"}]), "template", "a://{x}{?y}"
    )
    filled = fill(call_form, [("f0", "one two"), ("f1", "")])
    assert (filled.kind, filled.name) == (CallKind.RESOURCE, "a://one%20two")
    assert fill(call_form, [("f0", "")]).errors.keys() == {"x"}


def test_a_tool_outside_the_catalog_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="gone"):
        find_call_form(Catalog(), "tool", "gone")


def test_the_title_of_the_schema_is_not_shown() -> None:
    assert tool({"title": "book_tripArguments", "type": "object", "properties": {}}).form.title == ""


@pytest.mark.parametrize("support", list(TaskSupport))
def test_the_box_to_run_as_a_task_is_there_where_one_may(support: TaskSupport) -> None:
    """A tool that may run as a task leaves it to the person (MCP 2025-11-25, Tasks, Tool-Level Negotiation)."""
    server = Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1/"})
    row = ServerRow(server=server, status=ServerStatus(state=ServerState.CONNECTED), waiting=0)
    for ticked in (True, False):
        choice = TaskChoice(support=support, ticked=ticked)
        html = render_text("servers/_runner.html", runner=open_runner(row, tool(), task_choice=choice))
        box = re.search(r'<input type="checkbox" name="task"[^>]*>', html)
        assert (box is not None) is (support is TaskSupport.OPTIONAL)
        assert box is None or ("checked" in box[0]) is ticked
        assert ("task-choice" in html) is (support is not TaskSupport.FORBIDDEN)
        assert choice.as_task is (support is TaskSupport.REQUIRED or (box is not None and ticked))


SHAPED = {"type": "object", "anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": NESTED}}]}


def test_a_choice_of_objects_is_filled_in_and_refilled() -> None:
    call_form = tool(SHAPED)
    assert not call_form.as_json
    arguments = {"b": {"a": {"n": 3}}}
    filled = fill(call_form, [("f0", "1"), ("f0.1.0.0.0", "3"), ("f0.0.0", "left")])
    assert (filled.arguments, filled.is_right) == (arguments, True)
    again = refill(
        call_form,
        Call(user_id="ada", server_id="s", server_label="s", kind=CallKind.TOOL, name="t", arguments=arguments),
    )
    assert (again.texts["f0"], again.texts["f0.1.0.0.0"]) == (["1"], ["3"])
