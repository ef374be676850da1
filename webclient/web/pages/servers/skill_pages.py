"""The tab with the skills of a server, the page of one skill with one of its files, and the download of a file.

Everything is shown as text or harmless Markdown, after it was compared with what the server publishes of it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from mimetypes import guess_type

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from webclient.domain.errors import ConflictError, NotFoundError, WebclientError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Json, Server, ServerState, Skill, SkillContent, SkillFile, SkillFiles, SkillList
from webclient.domain.tool_names import repeated
from webclient.servers.skills import LONGEST_URI, SKILL_MD, body_of
from webclient.services import Services
from webclient.web.http import ServerDep, ServicesDep, render
from webclient.web.pages.calls.content_pages import download
from webclient.web.pages.calls.contents import Content, read_contents
from webclient.web.pages.servers.server_tabs import Tab, read_server_page

router = APIRouter(prefix="/servers/{server_id}/skills", include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRow:
    """A skill in the list; `is_repeated`: others of the server have the same name."""

    skill: Skill
    is_repeated: bool


@dataclass(frozen=True, slots=True)
class Folder:
    """The files directly in one folder of a skill; the path of its own folder is empty."""

    path: str
    files: Sequence[SkillFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillView:
    """A skill, its files by folder, and the file that is shown, or why it cannot be.

    `content` is the file as read, `piece` the same as a block of a result, and `source` the text of what is Markdown.
    """

    skill: Skill
    folders: Sequence[Folder] = ()
    is_cut: bool = False
    file: SkillFile | None = None
    content: SkillContent | None = None
    piece: Content | None = None
    source: str = ""
    problem: str = ""


@router.get("")
async def show_skills(http_request: Request, services: ServicesDep, server: ServerDep) -> HTMLResponse:
    """Show the skills that a server lists."""
    found, problem = SkillList(skills=()), ""
    if services.connections.status(server.key).state is ServerState.CONNECTED:
        try:
            found = await services.skills.list(server)
        except ConflictError as error:
            problem = str(error)
    page = await read_server_page(services, server)
    return render(
        http_request,
        "servers/skills.html",
        page_context=page.page_context,
        row=page.row,
        tab=Tab.SKILLS,
        tabs=page.tabs,
        rows=_rows(found.skills),
        found=found,
        problem=problem,
    )


@router.get("/skill")
async def show_skill(
    http_request: Request, services: ServicesDep, server: ServerDep, uri: str = "", file: str = ""
) -> HTMLResponse:
    """Show a skill and one of its files: its `SKILL.md` unless another one is chosen."""
    skill = await _skill(services, server, uri)
    page = await read_server_page(services, server)
    return render(
        http_request,
        "servers/skill.html",
        page_context=page.page_context,
        row=page.row,
        tab=Tab.SKILLS,
        tabs=page.tabs,
        view=await _view(services, server, skill, file or uri),
    )


@router.get("/file")
async def download_file(services: ServicesDep, server: ServerDep, uri: str = "", file: str = "") -> Response:
    """Serve a file of a skill, byte for byte, if it is as published."""
    content = await services.skills.read(server, await _skill(services, server, uri), file)
    if not content.integrity.may_be_used:
        raise ConflictError(_("The file differs from what the server publishes, so it is not given out."))
    return download(content.data, _piece(content).file_name)


async def _skill(services: Services, server: Server, uri: str) -> Skill:
    if not 0 < len(uri) <= LONGEST_URI:
        raise NotFoundError(_("Enter the address of a skill."))
    return await services.skills.get(server, uri)


def _rows(skills: Sequence[Skill]) -> list[SkillRow]:
    again = repeated([each.name for each in skills])
    return [SkillRow(skill=each, is_repeated=each.name in again) for each in skills]


async def _view(services: Services, server: Server, skill: Skill, uri: str) -> SkillView:
    if skill.fault:
        return SkillView(skill=skill)
    listed, problem = SkillFiles(files=skill.files or ()), ""
    try:
        listed = await services.skills.files(server, skill)
        content = await services.skills.read(server, skill, uri)
    except WebclientError as error:
        problem = str(error)
        return SkillView(skill=skill, folders=_folders(listed.files), is_cut=listed.is_cut, problem=problem)
    piece = _piece(content) if content.integrity.may_be_used else None
    return SkillView(
        skill=skill,
        folders=_folders(listed.files),
        is_cut=listed.is_cut,
        file=content.file,
        content=content,
        piece=piece,
        source=_source(content) if piece else "",
    )


def _folders(files: Sequence[SkillFile]) -> list[Folder]:
    """Return the folders of a skill, its own first; `SKILL.md` leads."""

    def folder(file: SkillFile) -> str:
        return file.path.rpartition("/")[0]

    ordered = sorted(files, key=lambda each: (folder(each), each.path != SKILL_MD, each.path))
    return [Folder(path, list(inside)) for path, inside in groupby(ordered, folder)]


def _piece(content: SkillContent) -> Content:
    """Return a file as a block of a result: text as what it is, and a `SKILL.md` without its frontmatter."""
    path = content.file.path
    media_type = "text/markdown" if path.endswith(".md") else content.media_type or guess_type(path)[0] or ""
    block: Json = {"uri": content.file.uri, "mimeType": media_type}
    try:
        text = content.data.decode()
    except UnicodeDecodeError:
        block["blob"] = b64encode(content.data).decode()
    else:
        block["text"] = body_of(text) if path == SKILL_MD else text
    return read_contents({"contents": [block]})[0]


def _source(content: SkillContent) -> str:
    """Return all text of a file, of which only a part is rendered as Markdown; "" if there is none."""
    return content.data.decode("utf-8", "replace") if content.file.path.endswith(".md") else ""
