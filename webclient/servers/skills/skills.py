"""Lists the skills of a server, and reads their files when they are wanted, each checked against its entry.

Nothing is kept: an entry is read again each time, so that content is compared with what the server publishes now.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from hashlib import sha256

from webclient import protocol
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import (
    Integrity,
    Json,
    Server,
    Skill,
    SkillContent,
    SkillFile,
    SkillFiles,
    SkillList,
)
from webclient.protocol import MalformedResultError
from webclient.servers.connections import Connection, Connections, asking
from webclient.servers.skills.entries import MOST_BYTES, MOST_FILES, SKILL_MD, folder_of, path_within, read_skill
from webclient.servers.skills.frontmatter import agrees

EXTENSION = "io.modelcontextprotocol/skills"
"""A server declares it, and a client nothing (SEP-2640, Capability Negotiation)."""

PATIENCE = 10
"""Seconds that a server has to answer."""

MOST_FOLDERS = 50
"""Folders of a generated skill that are listed."""

FOLDER_TYPE = "inode/directory"


def has_skills(capabilities: Json | None) -> bool:
    """Return whether the server has declared that it has skills."""
    return _declared(capabilities) is not None


def _declared(capabilities: Json | None) -> Json | None:
    extensions = (capabilities or {}).get("extensions")
    declared = extensions.get(EXTENSION) if isinstance(extensions, dict) else None
    return declared if isinstance(declared, dict) else None


class Skills:
    """The skills of servers. Each method raises ConflictError if the server is not connected, has none, or fails."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def list(self, server: Server) -> SkillList:
        """List the skills of a server; it may have others, which it does not list (Listing Skills)."""
        connection = self._connected(server)
        async with _asking():
            entries, is_cut = await protocol.list_skills(connection.session)
        return SkillList(skills=[read_skill(each) for each in entries], is_cut=is_cut)

    async def get(self, server: Server, uri: str) -> Skill:
        """Return the skill whose `SKILL.md` has this address. Raises NotFoundError as well."""
        connection = self._connected(server)
        async with _asking():
            skill = read_skill(await protocol.get_skill(connection.session, uri))
        if skill.uri != uri:
            raise ConflictError(_("The server answered with another skill than the one that was asked for."))
        return skill

    async def files(self, server: Server, skill: Skill) -> SkillFiles:
        """Return the files of a skill: those of its entry, or those in its folders if it is generated."""
        if skill.fault or skill.files is not None:
            return SkillFiles(files=skill.files or ())
        only = SkillFile(uri=skill.uri, path=SKILL_MD)
        connection = self._connected(server)
        # "Clients MUST NOT call" it otherwise.
        if (_declared(connection.status.capabilities) or {}).get("directoryRead") is not True:
            return SkillFiles(files=[only])
        async with _asking():
            found = await _in_folders(connection, folder_of(skill.uri))
        others = [each for each in found.files if each.uri != skill.uri]
        return SkillFiles(files=[only, *others], is_cut=found.is_cut)

    async def read(self, server: Server, skill: Skill, uri: str) -> SkillContent:
        """Read one file of a skill and check it. Raises NotFoundError if the skill does not have it."""
        connection = self._connected(server)
        file = _file(skill, uri)
        async with _asking():
            result = await protocol.read_resource(connection.session, uri)
            if result.get("resultType") == "input_required":
                raise ConflictError(_("The server asks questions before it gives this file, which skills may not do."))
            media_type, data = _content(result, uri)
        if len(data) > MOST_BYTES:
            raise ConflictError(_("The file is larger than a whole skill may be."))
        return SkillContent(
            file=file,
            media_type=media_type,
            data=data,
            digest=f"sha256:{sha256(data).hexdigest()}",
            integrity=_integrity(skill, file, data),
        )

    def _connected(self, server: Server) -> Connection:
        connection = self._connections.connected(server)
        if not has_skills(connection.status.capabilities):
            raise ConflictError(_("This server has no skills."))
        return connection


def _file(skill: Skill, uri: str) -> SkillFile:
    """Return the file with this address. A file that the entry does not list is not part of the skill (Integrity)."""
    if skill.fault:
        raise ConflictError(_("The entry of this skill breaks the rules, so its files are not read."))
    if skill.files is None:
        path = path_within(folder_of(skill.uri), uri)
        found = SkillFile(uri=uri, path=path) if path else None
    else:
        found = next((each for each in skill.files if each.uri == uri), None)
    if found is None:
        raise NotFoundError(_("The skill does not have this file."))
    return found


def _integrity(skill: Skill, file: SkillFile, data: bytes) -> Integrity:
    """Compare a file with its entry (Integrity and Verification)."""
    if skill.files is not None:
        if len(data) != file.size:
            return Integrity.SIZE
        if f"sha256:{sha256(data).hexdigest()}" != file.digest:
            return Integrity.DIGEST
    if file.uri == skill.uri and not agrees(data, skill.frontmatter):
        return Integrity.FRONTMATTER
    return Integrity.DYNAMIC if skill.files is None else Integrity.VERIFIED


def _content(result: Json, uri: str) -> tuple[str, bytes]:
    """Return the media type and the bytes of what was read. Raises MalformedResultError."""
    given = result.get("contents")
    contents = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    # A server may spell the address in another way, such as with a host in lower case.
    found = contents if len(contents) == 1 else [each for each in contents if each.get("uri") == uri]
    if len(found) != 1:
        raise MalformedResultError("contents: not those of one file")
    text, blob = found[0].get("text"), found[0].get("blob")
    media_type = str(found[0].get("mimeType") or "")
    if isinstance(text, str):
        return media_type, text.encode("utf-8", "replace")
    try:
        return media_type, b64decode(blob or "", validate=True)
    except (ValueError, TypeError) as error:
        raise MalformedResultError("contents: neither text nor base64") from error


async def _in_folders(connection: Connection, folder: str) -> SkillFiles:
    """List the files of a generated skill, folder by folder (Reading Directories)."""
    files: dict[str, SkillFile] = {}
    waiting, seen = [folder], {folder}
    is_cut = False
    while waiting:
        children, has_more = await protocol.read_directory(connection.session, waiting.pop(0))
        is_cut |= has_more
        for uri, path, is_folder in _children(folder, children):
            if len(seen) >= MOST_FOLDERS or len(files) >= MOST_FILES:
                return SkillFiles(files=list(files.values()), is_cut=True)
            if not is_folder:
                files[path] = SkillFile(uri=uri, path=path)
            elif uri not in seen:
                seen.add(uri)
                waiting.append(uri)
    return SkillFiles(files=list(files.values()), is_cut=is_cut)


def _children(folder: str, children: Sequence[object]) -> list[tuple[str, str, bool]]:
    """Return what is within the skill, as its address, its path, and whether it is a folder."""
    found = [(each.get("uri"), each.get("mimeType")) for each in children if isinstance(each, dict)]
    within = [(uri, path_within(folder, uri), kind) for uri, kind in found if isinstance(uri, str)]
    return [(uri, path, kind == FOLDER_TYPE) for uri, path, kind in within if path]


def _asking() -> AbstractAsyncContextManager[None]:
    return asking(PATIENCE, unknown=_("The server does not have a skill or a file at this address."))
