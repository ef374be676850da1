"""Reads the entry of a skill as a server sent it, by the rules for entries and addresses (SEP-2640, Skill Entries).

An address counts as a name only: nothing in it is resolved, and what could lead out of the skill's folder is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote

from webclient.domain.model import Json, Skill, SkillFault, SkillFile

MOST_FILES = 512
"""Files of a skill, as many as every host supports (Limits)."""

MOST_BYTES = 16 * 2**20
"""Bytes of all files of a skill, as many as every host supports (Limits)."""

LONGEST_URI = 2_000
"""Characters of an address."""

SKILL_MD = "SKILL.md"

_FOLDER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^?#]+)")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def read_skill(entry: object) -> Skill:
    """Return the skill of an entry; with a fault, and as much as can be read, if it breaks a rule."""
    found = entry if isinstance(entry, dict) else {}
    uri = found["uri"] if isinstance(found.get("uri"), str) else ""
    path = _skill_path(uri)
    frontmatter = found.get("frontmatter")
    given = frontmatter.get("name") if isinstance(frontmatter, dict) else None
    name = given if isinstance(given, str) else ""
    files, fault = None, _fault_of_entry(found, uri, path, name)
    if fault is None and found["resources"] != "dynamic":
        files = _files(folder_of(uri), found["resources"])
        fault = _fault_of_files(uri, files)
    return Skill(uri=uri, name=name, path=path or "", entry=found, files=files, fault=fault)


def folder_of(uri: str) -> str:
    """Return the folder of a skill, by the address of its `SKILL.md`."""
    return uri.removesuffix(f"/{SKILL_MD}")


def path_within(folder: str, uri: str) -> str | None:
    """Return the path of a file within a folder; None if its address leads out of it, or would when it is decoded."""
    if len(uri) > LONGEST_URI or not uri.startswith(f"{folder}/") or re.search("[?#]", uri):
        return None
    return _path(uri[len(folder) + 1 :])


def _path(text: str) -> str | None:
    try:
        segments = [unquote(each, errors="strict") for each in text.split("/")]
    except UnicodeDecodeError:
        return None
    return "/".join(segments) if all(map(_is_name, segments)) else None


def _is_name(segment: str) -> bool:
    """Whether a segment names a file or a folder in it, on every system."""
    is_printed = not any(unicodedata.category(each) in ("Cc", "Cs") for each in segment)
    return segment not in ("", ".", "..") and not set(segment) & set("/\\") and is_printed


def _skill_path(uri: str) -> str | None:
    """Return the path of the skill whose `SKILL.md` has this address; None unless it is such an address."""
    folder = _FOLDER.fullmatch(folder_of(uri))
    if folder is None or not uri.endswith(f"/{SKILL_MD}") or len(uri) > LONGEST_URI:
        return None
    return _path(folder[1])


def _fault_of_entry(entry: Json, uri: str, path: str | None, name: str) -> SkillFault | None:
    frontmatter, resources = entry.get("frontmatter"), entry.get("resources")
    described = isinstance(frontmatter, dict) and isinstance(frontmatter.get("description"), str)
    if not uri or not name or not described or not (isinstance(resources, list) or resources == "dynamic"):
        return SkillFault.ENTRY
    # "The final segment MUST equal the skill's name" (Resource Mapping).
    if path is None or path.split("/")[-1] != name:
        return SkillFault.ADDRESS
    return SkillFault.COUNT if isinstance(resources, list) and len(resources) > MOST_FILES else None


def _files(folder: str, resources: list[object]) -> Sequence[SkillFile] | None:
    """Return the files of an entry; None if one is not described by the rules, or is not within the folder."""
    files = [_file(folder, each) for each in resources]
    return [each for each in files if each] if all(files) else None


def _file(folder: str, resource: object) -> SkillFile | None:
    if not isinstance(resource, dict):
        return None
    uri, digest, size = (resource.get(key) for key in ("uri", "digest", "size"))
    if not isinstance(uri, str) or not isinstance(digest, str) or type(size) is not int or size < 0:
        return None
    path = path_within(folder, uri)
    is_right = path is not None and _DIGEST.fullmatch(digest)
    return SkillFile(uri=uri, path=path, digest=digest, size=size) if path and is_right else None


def _fault_of_files(uri: str, files: Sequence[SkillFile] | None) -> SkillFault | None:
    # "Each exactly once, including an entry whose `uri` equals the skill's" (Resources).
    if files is None or len({each.path for each in files}) < len(files) or uri not in [each.uri for each in files]:
        return SkillFault.FILES
    return SkillFault.SIZE if sum(each.size or 0 for each in files) > MOST_BYTES else None
