"""A part of an mcp.json that is pasted into a page: entries in all shapes, and nothing of this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tables import each_row
from webclient.domain.model import Era
from webclient.servers.config_file import is_snippet, read_snippet
from webclient.settings import ConfigError

ENTRY = {"url": "http://127.0.0.1:8000/mcp", "headers": {"Authorization": "Bearer abc"}, "era": "2025-11-25"}
WRITTEN = json.dumps(ENTRY)


@each_row(
    ("text", "name"),
    [
        (f'{{"mcpServers": {{"travel": {WRITTEN}}}}}', "travel"),
        (f'{{"servers": {{"travel": {WRITTEN}}}, "inputs": []}}', "travel"),
        (f'{{"mcp": {{"servers": {{"travel": {WRITTEN}}}}}}}', "travel"),
        (f'{{"travel": {WRITTEN}}}', "travel"),
        (f'"travel": {WRITTEN},', "travel"),
        (f'{{"context_servers": {{"travel": {WRITTEN}}}}}', "travel"),
        (f'{{"$schema": "s", "mcp": {{"travel": {WRITTEN[:-1]}, "type": "remote"}}}}}}', "travel"),
        (f'{{"mcp_servers": {{"travel": {WRITTEN}}}}}', "travel"),
        (f'{{"mcpServers": [{{"name": "travel", {WRITTEN[1:]}]}}', "travel"),
        (f" {{ // a comment\n {WRITTEN[1:-1]}, }} ", ""),
    ],
)
def test_an_entry_is_read_from_each_shape(text: str, name: str) -> None:
    [config] = read_snippet(text)
    assert (config.name, config.label, config.era, config.error) == (name, name, Era.PUSH, None)
    assert config.transport["url"] == ENTRY["url"]
    assert config.transport["headers"] == ENTRY["headers"]


def test_several_servers_are_read_and_a_command_is_refused() -> None:
    text = json.dumps({"mcpServers": {"a": {"url": "http://a.example/"}, "b": {"command": "npx", "envFile": "/x"}}})
    first, second = read_snippet(text)
    assert (first.error, second.transport) == (None, {})
    assert second.error is not None
    assert "“b”" in second.error


@pytest.mark.parametrize("placeholder", ["${HOME}", "${env:TOKEN}", "${input:key}", "${userHome}", "${file:secret}"])
def test_placeholders_are_refused_and_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, placeholder: str
) -> None:
    """An address could carry the environment of this process, or its files, to its server."""
    monkeypatch.setenv("TOKEN", "not for you")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("not for you", "utf-8")
    for entry in ({"url": f"http://a.example/{placeholder}"}, {"url": "http://a/", "headers": {"X-Key": placeholder}}):
        [config] = read_snippet(json.dumps({"a": entry}))
        assert config.error is not None
        assert "not for you" not in str(config)
        assert placeholder in config.error


@each_row(
    "text",
    [
        *("{", "{}", '{"a": 1}', '{"mcpServers": []}', '"text"', "{" * 100_000, '{"a": "' + "x" * 100_000 + '"}'),
        json.dumps({str(n): {"url": "http://a/"} for n in range(21)}),
        '{"mcpServers": {}}',
        '[{"url": "http://a/"}]',
    ],
)
def test_a_text_without_servers_has_a_sentence(text: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_snippet(text)
    assert str(error.value)


@each_row(
    "text",
    [
        '[mcp_servers.docs]\nurl = "http://a/"',
        '# Codex\nmodel = "x"\n[mcp_servers.docs]',
        'model = "x" [mcp_servers.docs] url = "http://a/"',
        "mcp_servers = { docs = {} }",
        "mcpServers:\n  docs:",
        "name: x\nversion: 1\nmcpServers:\n  - name: docs",
        "extensions: a",
        "---\nservers:",
        "servers:\n  docs:",
    ],
)
def test_toml_and_yaml_are_refused_by_their_names(text: str) -> None:
    assert is_snippet(text)
    with pytest.raises(ConfigError, match="YAML"):
        read_snippet(text)


def test_a_command_is_refused_in_the_words_of_each_program() -> None:
    text = {"mcp": {"a": {"type": "local", "command": ["npx", "docs"]}}}
    [config] = read_snippet(json.dumps(text))
    assert config.transport == {}
    assert "“a”" in str(config.error)


def test_keys_of_a_snippet_without_an_effect_are_named() -> None:
    [config] = read_snippet('{"url": "http://a/", "headersHelper": "/bin/token"}')
    assert config.unused == ("headersHelper",)


@pytest.mark.parametrize(
    "text",
    ['// Mine\n{"mcpServers": {"docs": {"url": "http://a/"}}}', '{"amp.mcpServers": {"docs": {"url": "http://a/"}}}'],
)
def test_json_of_editors_is_read(text: str) -> None:
    assert is_snippet(text)
    assert [(each.name, each.error) for each in read_snippet(text)] == [("docs", None)]


def test_words_of_other_formats_within_json_are_json() -> None:
    text = '{"mcpServers": {"a": {"url": "http://a/?q= extensions: mcp_servers = x"}}}'
    assert [each.error is None for each in read_snippet(text)] == [True]


def test_an_address_is_not_a_snippet() -> None:
    assert [is_snippet(text) for text in ("http://a/", "", " {", '"a": {}')] == [False, False, True, True]
