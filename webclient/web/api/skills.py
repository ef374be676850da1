"""The API of a server's skills: list them, describe one, read a file of it. All of it only reads (SEP-2640)."""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated

from fastapi import APIRouter, Query

from webclient.domain.model import Integrity, Skill, SkillContent, SkillFault
from webclient.servers.skills import LONGEST_URI
from webclient.web.api.shapes import Filled, Maybe, Shape, Verbatim
from webclient.web.http import ServerDep, ServicesDep, problems

router = APIRouter(prefix="/servers/{server_id}/skills", tags=["servers"])

SkillUri = Annotated[
    str, Query(min_length=1, max_length=LONGEST_URI, description="The address of the skill's `SKILL.md`.")
]
FileUri = Annotated[str, Query(min_length=1, max_length=LONGEST_URI, description="The address of a file of the skill.")]


class SkillShape(Shape):
    """A skill: `entry` is the server's, verbatim. `path` leads to it among the skills of the server.

    `fault` is why it is not used: the `entry` or its `address` breaks the rules, its `files` are not described as they
    must be, or their `count` or `size` exceeds the limits of the extension.
    """

    uri: str
    name: str
    path: str
    entry: Verbatim
    fault: Maybe[SkillFault] = None


class SkillsShape(Shape):
    """The skills that a server lists; it may have others. `cut`: there are more in its list."""

    skills: list[SkillShape]
    cut: Filled[bool] = None


class SkillFileShape(Shape):
    """A file of a skill; `digest` and `size` are what the server publishes of it."""

    uri: str
    path: str
    digest: Maybe[str] = None
    size: Maybe[int] = None


class SkillWithFilesShape(SkillShape):
    """A skill with its files. `cut`: there are more."""

    files: list[SkillFileShape]
    cut: Filled[bool] = None


class SkillContentShape(Shape):
    """A file that was read: the `size` and `digest` of what came, and its content as `text` or else as `blob` (base64).

    `integrity` is `verified`, or `dynamic` if the server publishes no digests of the skill. Otherwise the `size`, the
    `digest` or the `frontmatter` differs from what the server publishes, and the content is left out.
    """

    uri: str
    path: str
    mime_type: Filled[str] = None
    size: int
    digest: str
    integrity: Integrity
    text: Maybe[str] = None
    blob: Maybe[str] = None


@router.get("", responses=problems(404, 409))
async def list_skills(services: ServicesDep, server: ServerDep) -> SkillsShape:
    """List the skills of a connected server; 409 if it does not declare that it has any."""
    found = await services.skills.list(server)
    return SkillsShape(skills=[SkillShape.of(each) for each in found.skills], cut=found.is_cut)


@router.get("/entry", responses=problems(404, 409, 422))
async def get_skill(services: ServicesDep, server: ServerDep, uri: SkillUri) -> SkillWithFilesShape:
    """Get a skill with its files, also one that is not listed; nothing of it is read."""
    skill = await services.skills.get(server, uri)
    found = await services.skills.files(server, skill)
    files = [SkillFileShape.of(each) for each in found.files]
    return SkillWithFilesShape.of(skill, files=files, cut=found.is_cut)


@router.get("/file", responses=problems(404, 409, 422))
async def read_skill_file(services: ServicesDep, server: ServerDep, skill: SkillUri, uri: FileUri) -> SkillContentShape:
    """Read a file of a skill, and compare it with what is published of it."""
    found: Skill = await services.skills.get(server, skill)
    return _content_shape(await services.skills.read(server, found, uri))


def _content_shape(content: SkillContent) -> SkillContentShape:
    shape = SkillContentShape(
        uri=content.file.uri,
        path=content.file.path,
        mime_type=content.media_type,
        size=len(content.data),
        digest=content.digest,
        integrity=content.integrity,
    )
    if not content.integrity.may_be_used:
        return shape
    try:
        return shape.model_copy(update={"text": content.data.decode()})
    except UnicodeDecodeError:
        return shape.model_copy(update={"blob": b64encode(content.data).decode()})
