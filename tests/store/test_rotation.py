"""A new key seals all secrets again; the old one then opens nothing, and nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.store.conftest import TestDatabase
from tests.store.rows import SECRET_KEYS
from tests.store.test_stolen import GUARDED, SECRETS, fill
from webclient.store import Store, lock_data_dir, rotate_key
from webclient.store.database.secret_keys import FILE
from webclient.store.database.tables import metadata
from webclient.store.rotation import ROW_NAMES, Rotated

pytestmark = pytest.mark.anyio

NEW_KEY = "k2:" + "QUJE" * 10 + "QUI="


def sealed(database: TestDatabase) -> Iterator[str]:
    """Return every sealed text of the database."""
    for table in ROW_NAMES:
        yield from (text for (text,) in database.run(f"SELECT secrets FROM {table.name} WHERE secrets IS NOT NULL"))  # noqa: S608


async def test_all_secrets_are_sealed_with_the_new_key_alone(store: Store, database: TestDatabase) -> None:
    await fill(store)
    await store.close()
    old = (database.folder / FILE).read_text("utf-8")
    assert rotate_key(database.folder, database.url) == Rotated(sealed=4)
    [line] = (database.folder / FILE).read_text("utf-8").split()
    assert line not in old
    assert {text.partition(".")[0] for text in sealed(database)} == {line.partition(":")[0]}
    again = database.store()
    await again.open()
    ada = again.of("ada")
    assert await ada.servers.get(GUARDED.id) == GUARDED
    grant = await ada.grants.get(GUARDED.id)
    assert grant
    assert grant.secrets == SECRETS
    assert await ada.sign_ins.all()
    await again.close()


async def test_the_setting_rotates_to_its_first_key(database: TestDatabase) -> None:
    store = database.store(secret_keys=SECRET_KEYS)
    await store.open()
    await fill(store)
    await store.close()
    rotated = rotate_key(database.folder, database.url, secret_keys=f"{NEW_KEY},{SECRET_KEYS}")
    assert rotated == Rotated(sealed=4)
    again = database.store(secret_keys=NEW_KEY)
    await again.open()
    assert await again.of("ada").servers.get(GUARDED.id) == GUARDED
    await again.close()
    assert not (database.folder / FILE).exists()


async def test_rows_of_a_lost_key_are_left_and_counted(store: Store, database: TestDatabase) -> None:
    await fill(store)
    await store.close()
    before = sorted(sealed(database))
    (database.folder / FILE).unlink()
    assert rotate_key(database.folder, database.url) == Rotated(lost=4)
    assert sorted(sealed(database)) == before


async def test_the_key_stays_while_another_process_has_the_folder(store: Store, database: TestDatabase) -> None:
    """The command locks the folder, and PostgreSQL the database."""
    if database.url is None:
        with lock_data_dir(database.folder), pytest.raises(Exception, match="in use"), lock_data_dir(database.folder):
            pass
        return
    await fill(store)
    before = (database.folder / FILE).read_text("utf-8")
    with pytest.raises(Exception, match="in use"):
        rotate_key(database.folder, database.url)
    assert (database.folder / FILE).read_text("utf-8") == before


def test_every_sealed_column_is_rotated() -> None:
    """The secrets of calls and requests are values that a person typed, as JSON."""
    typed = {"calls", "requests"}
    tables = {table for table in metadata.tables.values() if "secrets" in table.columns and table.name not in typed}
    assert tables == set(ROW_NAMES)
