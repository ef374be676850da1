"""Skills that a server has for agents, and what was found when one was checked (SEP-2640, final).

A skill is a folder with a `SKILL.md`; each of its files is a resource of the server.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from webclient.domain.model.common import Json

_REGULAR = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class SkillFault(StrEnum):
    """Why an entry is not used; each breaks a rule of Skill Entries, or exceeds a limit (Limits)."""

    ENTRY = "entry"
    ADDRESS = "address"
    FILES = "files"
    COUNT = "count"
    SIZE = "size"


class Integrity(StrEnum):
    """How the content of a file compares with the entry of its skill (Integrity and Verification)."""

    VERIFIED = "verified"
    DYNAMIC = "dynamic"
    SIZE = "size"
    DIGEST = "digest"
    FRONTMATTER = "frontmatter"

    @property
    def may_be_used(self) -> bool:
        """Whether the content may be shown and downloaded: it is as published, or nothing was published of it."""
        return self in (Integrity.VERIFIED, Integrity.DYNAMIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """A file of a skill: its `path` within the folder, and its published digest and size, if there are any."""

    uri: str
    path: str
    digest: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill as its server describes it. `entry` is the server's, verbatim, and `fault` why it is not used.

    `path` leads to the skill among those of its server, and ends with its name. `files` are all files in the order of
    the server; None if the content is generated, so that there are no digests.
    """

    uri: str
    name: str
    path: str
    entry: Json
    files: Sequence[SkillFile] | None = None
    fault: SkillFault | None = None

    @property
    def is_regular(self) -> bool:
        """Whether the name keeps to the rules of Agent Skills: 1 to 64 of a-z, 0-9 and single hyphens between them."""
        return len(self.name) <= 64 and _REGULAR.fullmatch(self.name) is not None

    @property
    def frontmatter(self) -> Json:
        """What the author wrote on the skill, verbatim."""
        found = self.entry.get("frontmatter")
        return found if isinstance(found, dict) else {}

    @property
    def description(self) -> str:
        """What it is for, in the words of its author."""
        found = self.frontmatter.get("description")
        return found if isinstance(found, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    """The skills that a server lists; `is_cut`: there are more, which were not read."""

    skills: Sequence[Skill]
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFiles:
    """The files of a skill, the first ones if `is_cut`."""

    files: Sequence[SkillFile]
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillContent:
    """A file that was read: its bytes, their digest, and how they compare with what was published."""

    file: SkillFile
    media_type: str
    data: bytes
    digest: str
    integrity: Integrity
