"""A plugin of pytest that runs the collected tests once for each change, in a copy of the process."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest
from _pytest.main import pytest_runtestloop as run_tests

from tests.mutation.calls import Calls, Function, function_at, read_calls
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.swap import NotSwappedError, swap

SURVIVED, NOTICED, NOT_CALLED, NOT_TRIED = "survived", "noticed", "no test calls it", "not tried"
_OUTCOMES = {0: SURVIVED, 3: NOT_TRIED}

LEAST = 60.0
"""Seconds that the tests of a change may take at least. One with which they hang is noticed as well."""

LONGER = 3
"""How many times as long they may take with a change as all tests without one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for the files to change."""
    group = parser.getgroup("mutation")
    group.addoption("--mutate", nargs="+", type=Path, default=[], help="the files to change")
    group.addoption("--most", type=int, default=10**9, help="how many changes of each file, by chance")
    group.addoption("--seed", type=int, default=1, help="which ones these are")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run all tests, and then for each change the ones that call it."""
    # Made now, so that all copies share it.
    folder: Path = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    noted = folder / "calls.json"
    started = time.monotonic()
    if _in_a_copy(session, lambda: _note_calls(session, noted), 3600.0):
        raise pytest.UsageError("the tests fail without a change")
    longest = max(LEAST, LONGER * (time.monotonic() - started))
    calls = read_calls(noted)
    outcomes: Counter[str] = Counter()
    for mutant in _wanted(session.config):
        outcome = _outcome(session, mutant, calls, longest)
        outcomes[outcome] += 1
        if outcome in (SURVIVED, NOT_CALLED):
            _say(f"{outcome}: {mutant.path}:{mutant.line} {mutant.operator}\n{mutant.difference}\n")
        for each in folder.iterdir():
            shutil.rmtree(each, ignore_errors=True)
    _say(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
    return True


def _wanted(config: pytest.Config) -> Iterator[Mutant]:
    for path in config.getoption("mutate"):
        yield from islice(mutants_of(path, config.getoption("seed")), config.getoption("most"))


def _outcome(session: pytest.Session, mutant: Mutant, calls: dict[Function, set[str]], longest: float) -> str:
    function = function_at(mutant.original, mutant.line)
    tests = calls.get((str(mutant.path), function), set())
    if not tests:
        return NOT_CALLED
    return _OUTCOMES.get(_in_a_copy(session, lambda: _try(session, mutant, tests), longest), NOTICED)


def _note_calls(session: pytest.Session, noted: Path) -> None:
    calls = Calls(session.config.getoption("mutate"))
    session.config.pluginmanager.register(calls)
    calls.start()
    run_tests(session)
    calls.save(session.items, noted)


def _try(session: pytest.Session, mutant: Mutant, tests: set[str]) -> None:
    name = ".".join(mutant.path.with_suffix("").parts)
    swap(import_module(name), mutant.original, mutant.changed)
    # The tests of the module itself notice first.
    own = f"test_{mutant.path.stem}"
    session.items = sorted(
        (each for each in session.items if each.nodeid in tests), key=lambda test: test.path.stem != own
    )
    run_tests(session)


def _in_a_copy(session: pytest.Session, work: Callable[[], None], longest: float) -> int:
    """Return the exit status of a copy of this process that does the work."""
    child = os.fork()
    if not child:
        os._exit(_status(session, work))
    ended = os.pidfd_open(child)
    try:
        is_over = bool(select.select([ended], [], [], longest)[0])
    except BaseException:
        os.killpg(child, signal.SIGKILL)
        raise
    finally:
        os.close(ended)
    if not is_over:
        # The group: also the servers that its tests have started.
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _status(session: pytest.Session, work: Callable[[], None]) -> int:
    os.setpgid(0, 0)
    session.config.pluginmanager.unregister(name="terminalreporter")
    session.config.option.maxfail = 1
    try:
        work()
    except NotSwappedError:
        return 3
    except BaseException:  # noqa: BLE001  (the first failure ends the loop with an exception)
        return 1
    finally:
        # Servers that fixtures have started end with them.
        session._setupstate.teardown_exact(None)
    return int(session.testsfailed > 0)


def _say(text: str) -> None:
    sys.__stdout__.write(f"{text}\n")  # type: ignore[union-attr]
    sys.__stdout__.flush()  # type: ignore[union-attr]
