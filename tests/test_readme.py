"""The README and the page of settings are true: every option and every setting that a user can give stands there."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.command_line import options_of_commands
from tests.mcp_servers import ROOT
from webclient.runtime.cli_options import OPTIONS
from webclient.servers.config_file import read_config
from webclient.settings import Settings

README = (ROOT / "README.md").read_text("utf-8")
SETTINGS = (ROOT / "docs" / "settings.md").read_text("utf-8")
DOCUMENTS = "".join(path.read_text("utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def test_every_option_of_the_command_line_is_in_the_docs() -> None:
    commands = options_of_commands()
    assert commands["demo"] == commands["serve"]
    assert [option for option in commands["serve"] if f"`{option}`" not in SETTINGS] == []
    assert [setting for setting in OPTIONS if f"`WEBCLIENT_{setting.upper()}`" not in SETTINGS] == []
    others = {option for options in commands.values() for option in options}
    assert {option for option in others if not re.search(rf"{option}\b", DOCUMENTS)} == set()


def test_every_setting_is_in_the_docs() -> None:
    assert [name for name in Settings.model_fields if f"`WEBCLIENT_{name.upper()}`" not in SETTINGS] == []


def test_the_example_config_can_be_read(tmp_path: Path) -> None:
    [example] = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps(json.loads(example)), "utf-8")
    servers = read_config(path, {"TRAVEL_TOKEN": "x"})
    assert [(server.name, server.label) for server in servers] == [("files", "files"), ("travel", "Travel desk")]
