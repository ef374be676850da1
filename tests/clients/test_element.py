"""The npm package of <mcp-inbox>: what its manifest says is what the element has, and a server may import it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from tests.mcp_servers import ROOT
from webclient.domain.model import Json

MODULE = (ROOT / "static" / "embed" / "mcp-inbox.js").read_text("utf-8")
TYPES = (ROOT / "static" / "embed" / "mcp-inbox.d.ts").read_text("utf-8")


@pytest.fixture(scope="module")
def declared() -> Json:
    manifest = json.loads((ROOT / "clients" / "element" / "custom-elements.json").read_text("utf-8"))
    return dict(manifest["modules"][0]["declarations"][0])


def names(declared: Json, kind: str) -> set[str]:
    """Return the names of one kind of thing in the manifest."""
    return {each["name"] for each in declared[kind]}


def typed(interface: str) -> set[str]:
    """Return the keys of an interface of the types."""
    found = re.search(rf"interface {interface} {{(.*?)\n}}", TYPES, re.DOTALL)
    assert found
    return set(re.findall(r'^  "?([\w-]+)"?\??:', found[1], re.MULTILINE))


def test_the_manifest_names_all_attributes_and_events(declared: Json) -> None:
    assert names(declared, "attributes") == typed("McpInboxAttributes")
    assert names(declared, "events") == typed("McpInboxEventMap")


def test_the_manifest_names_all_members(declared: Json) -> None:
    body = re.search(r"class McpInbox extends HTMLElement {(.*?)\n}", TYPES, re.DOTALL)
    assert body
    members = set(re.findall(r"^  (?:readonly )?(\w+)[:(]", body[1], re.MULTILINE)) - {"addEventListener"}
    assert names(declared, "members") == members
    assert all(re.search(rf"\b{name}\b", MODULE) for name in members)


def test_the_manifest_names_all_parts_and_properties(declared: Json) -> None:
    assert names(declared, "cssParts") == set(re.findall(r'\.part = "(\w+)"', MODULE))
    documented = set(
        re.findall(r"^ +(--[\w-]+):|   (--[\w-]+):", (ROOT / "docs" / "embedding.md").read_text("utf-8"), re.MULTILINE)
    )
    assert names(declared, "cssProperties") == {name for pair in documented for name in pair if name}


def test_a_server_may_import_the_module() -> None:
    node = shutil.which("node")
    assert node
    script = "const { McpInbox } = await import('./static/embed/mcp-inbox.js'); if (!McpInbox) process.exit(1)"
    subprocess.run([node, "--input-type=module", "-e", script], cwd=ROOT, check=True, timeout=60)
