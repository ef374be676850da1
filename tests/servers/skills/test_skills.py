"""Skills of a hostile server: which entries are used, what a file is compared with, and what is never read."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.house import House, config, house
from tests.mcp_servers import stdio
from tests.mcp_servers.skilled import FILES, REFUNDS, SKILLS
from webclient.domain.errors import ConflictError, NotFoundError
from webclient.domain.model import Integrity, Server, Skill, SkillFault

pytestmark = pytest.mark.anyio

FAULTS = {
    "traversal": SkillFault.FILES,
    "encoded": SkillFault.FILES,
    "separators": SkillFault.FILES,
    "twice": SkillFault.FILES,
    "elsewhere": SkillFault.FILES,
    "no-digest": SkillFault.FILES,
    "no-skill-md": SkillFault.FILES,
    "no-files": SkillFault.ENTRY,
    "misnamed": SkillFault.ADDRESS,
    "not-a-skill-md": SkillFault.ADDRESS,
    "above": SkillFault.ADDRESS,
    "many": SkillFault.COUNT,
    "large": SkillFault.SIZE,
}
"""The entries that break a rule, and which (SEP-2640, Skill Entries and Limits)."""

CHECKED = {
    ("refunds", "SKILL.md"): Integrity.VERIFIED,
    ("refunds", "assets/logo.png"): Integrity.VERIFIED,
    ("changed", "SKILL.md"): Integrity.SIZE,
    ("changed", "a.txt"): Integrity.DIGEST,
    ("other", "SKILL.md"): Integrity.FRONTMATTER,
    ("generated", "SKILL.md"): Integrity.DYNAMIC,
    ("generated", "today/report.md"): Integrity.DYNAMIC,
}
"""Files, and how they compare with what the server publishes (Integrity and Verification)."""


BESIDE = (
    "file:///etc/passwd",
    "skill://hidden/SKILL.md",
    "{folder}/../../hidden/SKILL.md",
    "{folder}/%2e%2e/x",
    "{folder}",
)
"""Addresses that are not in the folder of a skill, or would not be when they are decoded."""


@pytest.fixture(scope="module")
async def rooms(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    servers = [config("it", stdio("skilled")), config("none", stdio("raw", "null-schema"))]
    async with house(tmp_path_factory.mktemp("skills"), servers) as rooms:
        for server in servers:
            await rooms.connected(server.label)
        yield rooms


@pytest.fixture
async def server(rooms: House) -> Server:
    return await rooms.server("it")


async def skill(rooms: House, server: Server, name: str) -> Skill:
    """Return the skill of an entry, by its name in `SKILLS`."""
    return await rooms.services.skills.get(server, SKILLS[name]["uri"])


async def test_each_entry_against_the_rules_says_which(rooms: House, server: Server) -> None:
    """All pages are read, and a text in the place of an entry is listed as faulty."""
    found = await rooms.services.skills.list(server)
    assert [each.entry for each in found.skills] == [*SKILLS.values(), {}]
    faults = dict(zip([*SKILLS, "not an entry"], [each.fault for each in found.skills], strict=True))
    assert {name: fault for name, fault in faults.items() if fault} == FAULTS | {"not an entry": SkillFault.ENTRY}
    assert not found.is_cut


@pytest.mark.parametrize(("name", "path"), CHECKED)
async def test_a_file_is_compared_with_its_entry(rooms: House, server: Server, name: str, path: str) -> None:
    found = await skill(rooms, server, name)
    files = {each.path: each for each in (await rooms.services.skills.files(server, found)).files}
    content = await rooms.services.skills.read(server, found, files[path].uri)
    assert (content.integrity, content.data) == (CHECKED[name, path], FILES[files[path].uri])


async def test_the_files_are_those_of_the_entry_or_of_the_folders(rooms: House, server: Server) -> None:
    """A folder that leads out of the skill is not read, and one that leads back is read once."""
    listed = await rooms.services.skills.files(server, await skill(rooms, server, "refunds"))
    assert [each.path for each in listed.files] == list(REFUNDS)
    generated = await rooms.services.skills.files(server, await skill(rooms, server, "generated"))
    assert [each.path for each in generated.files] == ["SKILL.md", "today/report.md"]
    assert not generated.is_cut


@pytest.mark.parametrize("name", ["refunds", "generated"])
@pytest.mark.parametrize("uri", BESIDE)
async def test_a_file_beside_the_skill_is_not_read(rooms: House, server: Server, name: str, uri: str) -> None:
    found = await skill(rooms, server, name)
    with pytest.raises(NotFoundError):
        await rooms.services.skills.read(server, found, uri.format(folder=found.uri.removesuffix("/SKILL.md")))


async def test_a_skill_that_is_not_listed_opens_by_its_address(rooms: House, server: Server) -> None:
    """ "MUST support loading a skill given only its URI" (Listing Skills)."""
    found = await rooms.services.skills.get(server, "skill://hidden/SKILL.md")
    assert (await rooms.services.skills.read(server, found, found.uri)).integrity is Integrity.VERIFIED
    with pytest.raises(NotFoundError):
        await rooms.services.skills.get(server, "skill://unknown/SKILL.md")


async def test_questions_faults_and_other_servers_give_no_file(rooms: House, server: Server) -> None:
    asking = await skill(rooms, server, "asking")
    with pytest.raises(ConflictError):
        await rooms.services.skills.read(server, asking, asking.uri)
    faulty = await skill(rooms, server, "twice")
    with pytest.raises(ConflictError):
        await rooms.services.skills.read(server, faulty, faulty.uri)
    with pytest.raises(ConflictError):
        # It has declared none, so it is not asked.
        await rooms.services.skills.list(await rooms.server("none"))
