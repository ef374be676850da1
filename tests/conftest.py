"""Fixtures of all tests: one event loop, and one core with real servers for the tests that break nothing."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from jinja2 import FileSystemBytecodeCache
from starlette.testclient import TestClient
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests import databases, forks, speeds
from tests.house import House, configured, house
from tests.mcp_servers import running
from tests.postgresql import PostgreSQL
from tests.program import Api, Program
from tests.served import served
from webclient.store import Store
from webclient.web.http import environment

# Otherwise each worker, and each program that a test starts, compiles all of our modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

databases.share_compiled_statements()

# Tests read the output of programs as UTF-8, in any locale in which they run.
os.environ["PYTHONIOENCODING"] = "utf-8"

# Approvals are sent at once, so that no test waits for one; the tests of undoing them set a time.
os.environ["WEBCLIENT_UNDO_APPROVAL_SECONDS"] = "0"

ROOT = Path(__file__).parents[1]
LONGEST_FIRST = (
    "tests/model",
    "tests/browser/test_embedding_in_chats.py",
    "tests/examples/test_chainlit.py",
    "tests/examples/test_messenger.py",
    "tests/browser/test_guide_walk.py",
    "tests/cluster/test_cluster.py",
    "tests/clients/test_frameworks.py",
    "tests/real",
    "tests/push_tasks",
    "tests/test_many.py",
    "tests/api/test_description.py",
    "tests/protocol/test_faults.py",
    "tests/browser/test_accessibility.py",
    "tests/servers/test_lost_connections.py",
    "tests/browser/test_json_editor.py",
    "tests/examples",
    "tests/protocol/test_floods.py",
    "tests/browser",
    "tests/protocol",
    "tests/servers",
    "tests/test_",
    "tests/api",
)
"""Files that keep a worker busy for long. Started last, they would leave the other workers without work."""


def pytest_configure(config: pytest.Config) -> None:
    """Prepare what workers share, and end programs under test by signals, also under nohup.

    An ignored signal stays ignored in every process that is started; one with a handler does not.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _share(config)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


def _share(config: pytest.Config) -> None:
    """Compile each template once, and load the imports of programs under test once."""
    folder = tempfile.mkdtemp(prefix="templates-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ["COMPILED_TEMPLATES"] = folder
    os.environ[forks.ADDRESS] = forks.listening()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return how many workers run tests: more than cores, because tests wait for processes and browsers.

    The quick ones wait less, and each worker collects all of them and loads all programs that it starts.
    """
    cores = os.cpu_count() or 1
    return min(max(4, cores + cores // 2) if config.option.markexpr == "not slow" else max(4, 2 * cores), 12)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even read the slow files of which no test would run."""
    if config.option.markexpr != "not slow" or not speeds.is_slow(collection_path) or collection_path.is_dir():
        return None
    return "pytest.mark.smoke" not in collection_path.read_text("utf-8") or None


def pytest_collection_finish() -> None:
    """Keep the collected tests out of later garbage collections, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, *gc.get_threshold()[1:])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests, and begin with the files that take longest."""
    speeds.mark(items)
    items.sort(key=lambda item: _place(item.path.relative_to(ROOT).as_posix()))


def _place(path: str) -> int:
    return next((place for place, long in enumerate(LONGEST_FIRST) if path.startswith(long)), len(LONGEST_FIRST))


class _OneBrowser(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """One worker looks at all pages, as its browser costs more than they do."""

    def _split_scope(self, nodeid: str) -> str:
        pages = "tests/browser/"
        return pages if nodeid.startswith(pages) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Use one browser for the quick tests; the slow ones have work for several."""
    return _OneBrowser(config, log) if config.option.markexpr == "not slow" else None


@pytest.fixture(scope="session", autouse=True)
def compiled_templates() -> None:
    """Use the templates that a worker has compiled, or a program that was forked."""
    environment.bytecode_cache = FileSystemBytecodeCache(os.environ["COMPILED_TEMPLATES"])


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """Serve the app in this process, and give a client with the local token."""
    with served(tmp_path) as client:
        yield client


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests and fixtures on one asyncio loop."""
    return "asyncio"


@pytest.fixture(scope="session")
async def shared(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:  # noqa: ARG001
    """A core connected to the asking server over each transport in each era; tests leave it as they found it."""
    async with running() as http, running(transport="sse") as sse:
        servers = configured(http=http.address, sse=sse.address)
        async with house(tmp_path_factory.mktemp("shared"), servers) as shared:
            for config in servers:
                await shared.connected(config.name)
            yield shared


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A running PostgreSQL; it starts when a worker's first test wants it."""
    server = PostgreSQL()
    yield server
    server.close()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An open store of the test's own."""
    databases.prepare(tmp_path)
    store = Store(tmp_path)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def api(served: Program) -> AsyncIterator[Api]:
    """The JSON API of the program that the module has as `served`."""
    async with served.client() as api:
        yield api
