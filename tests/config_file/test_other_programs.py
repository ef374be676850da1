"""The config files of other programs are found where each keeps them, on each system."""

from __future__ import annotations

from pathlib import Path

import pytest

from webclient.servers.config_file.other_programs import places

CLINE = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
EVERYWHERE = {
    ".claude.json": "Claude Code",
    ".cursor/mcp.json": "Cursor",
    ".codeium/windsurf/mcp_config.json": "Windsurf",
    ".cline/data/settings/cline_mcp_settings.json": "Cline",
    ".gemini/settings.json": "Gemini CLI",
    ".codex/config.toml": "Codex",
    ".copilot/mcp-config.json": "Copilot CLI",
    ".continue/config.yaml": "Continue",
    ".continue/mcpServers/any.yaml": "Continue",
    ".kiro/settings/mcp.json": "Kiro",
    ".lmstudio/mcp.json": "LM Studio",
}
OF_CONFIG = {
    "zed/settings.json": "Zed",
    "opencode/opencode.jsonc": "OpenCode",
    "goose/config.yaml": "Goose",
}
OF_APPLICATIONS = {
    "Claude/claude_desktop_config.json": "Claude Desktop",
    "Code/User/mcp.json": "VS Code",
    "Code/User/profiles/1a2b/mcp.json": "VS Code",
    "Code/User/settings.json": "VS Code",
    "Code - Insiders/User/mcp.json": "VS Code Insiders",
    f"Code/{CLINE}": "Cline",
    f"Cursor/{CLINE}": "Cline",
}
OF_PROJECTS = {
    ".vscode/mcp.json": "VS Code",
    ".cursor/mcp.json": "Cursor",
    ".mcp.json": "Claude Code",
    ".gemini/settings.json": "Gemini CLI",
    ".codex/config.toml": "Codex",
    ".zed/settings.json": "Zed",
    "opencode.json": "OpenCode",
    ".continue/mcpServers/any.yaml": "Continue",
    ".kiro/settings/mcp.json": "Kiro",
    "librechat.yaml": "LibreChat",
}


def make(folder: Path, names: dict[str, str]) -> set[tuple[str, Path]]:
    """Make the files, and return what is to be found."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return {(program, folder / name) for name, program in names.items()}


@pytest.mark.parametrize(
    ("platform", "applications", "environ"),
    [
        ("linux", ".config", {}),
        ("linux", "elsewhere", {"XDG_CONFIG_HOME": "elsewhere"}),
        ("darwin", "Library/Application Support", {}),
        ("win32", "AppData/Roaming", {}),
        ("win32", "roaming", {"APPDATA": "roaming"}),
    ],
)
def test_files_are_found_on_each_system(
    tmp_path: Path, platform: str, applications: str, environ: dict[str, str]
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    config = home / environ.get("XDG_CONFIG_HOME", ".config")
    expected = make(home, EVERYWHERE) | make(home / applications, OF_APPLICATIONS) | make(project, OF_PROJECTS)
    expected |= make(config, OF_CONFIG)
    environ = {name: str(home / value) for name, value in environ.items()}
    found = places(home=home, folder=project, environ=environ, platform=platform)
    assert {(place.program, place.path) for place in found} == expected
    of_folder = {place.path for place in found if place.is_project and not place.inside}
    assert of_folder == {project / name for name in OF_PROJECTS}


def test_a_file_of_the_home_folder_is_found_once_from_there(tmp_path: Path) -> None:
    make(tmp_path, {".cursor/mcp.json": "Cursor"})
    found = places(home=tmp_path, folder=tmp_path, environ={}, platform="linux")
    assert [(place.path, place.is_project) for place in found] == [(tmp_path / ".cursor/mcp.json", False)]


def test_folders_above_count_up_to_the_root_of_the_repository(tmp_path: Path) -> None:
    repository = tmp_path / "mine"
    folder = repository / "a" / "b"
    (repository / ".git").mkdir(parents=True)
    folder.mkdir(parents=True)
    expected = make(repository, {".mcp.json": "Claude Code"})
    make(repository, {".cursor/mcp.json": "Cursor"})
    make(tmp_path, {".mcp.json": "Claude Code", ".claude.json": "Claude Code"})
    found = places(home=tmp_path, folder=folder, environ={}, platform="linux")
    assert {(place.program, place.path) for place in found if place.is_project and not place.inside} == expected
    assert [place.inside for place in found if place.inside] == [folder, folder.parent, repository]


def test_an_empty_home_has_no_config_files(tmp_path: Path) -> None:
    assert places(home=tmp_path, folder=tmp_path, environ={}, platform="linux") == []


def test_programs_say_by_a_variable_where_their_files_are(tmp_path: Path) -> None:
    expected = make(tmp_path, {"cline.json": "Cline", "codex/config.toml": "Codex"})
    environ = {"CLINE_MCP_SETTINGS_PATH": str(tmp_path / "cline.json"), "CODEX_HOME": str(tmp_path / "codex")}
    found = places(home=tmp_path, folder=tmp_path, environ=environ, platform="linux")
    assert {(place.program, place.path) for place in found} == expected
