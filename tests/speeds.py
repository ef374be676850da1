"""Which tests are slow: `make test` leaves them out, and `make test-all` runs them too.

A test is slow if its folder or file is one of SLOW, if it runs on PostgreSQL, or if it has the marker `slow`. The
marker `smoke` keeps single tests of a slow folder among the quick ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

SLOW = (
    # Browsers, and programs of other makers.
    "browser",
    "clients",
    "cluster",
    "conformance",
    "deploy",
    "drill",
    "examples",
    "model",
    "mutation",
    "push_tasks",
    "real",
    "screenshots",
    # Doors of the program beside its pages, and features that only some servers use.
    "api",
    "calls/tasks",
    "demo",
    "gateway",
    "identity",
    "monitoring",
    "oauth",
    "oidc",
    "pages/sampling",
    "program_answers",
    "runtime",
    "sampling",
    "wire_log",
    # Programs and servers that end, fail, flood, or take long.
    "calls/test_fastmcp_4.py",
    "calls/test_sign_in.py",
    "calls/test_sign_in_flow.py",
    "config_file/test_serving.py",
    "inbox/test_endings.py",
    "models/test_foreign_servers.py",
    "outbound/test_tls.py",
    "pages/guide/test_guide.py",
    "pages/test_alike_pages.py",
    "pages/test_bad_lists.py",
    "pages/test_base_path.py",
    "pages/test_deadlines.py",
    "pages/test_rule_suggestions.py",
    "pictures/test_pictures.py",
    "protocol/test_bounds.py",
    "protocol/test_everything.py",
    "protocol/test_faults.py",
    "protocol/test_floods.py",
    "protocol/test_hostile_servers.py",
    "protocol/test_large_results.py",
    "servers/skills/test_published_skills.py",
    "servers/test_company_sign_in.py",
    "servers/test_lost_connections.py",
    "spans/test_one_trace.py",
    "store/test_postgresql.py",
    "store/test_postgresql_text.py",
    "store/test_stolen.py",
    "store/test_upgrade.py",
    "test_attacks.py",
    "test_bench.py",
    "test_ending.py",
    "test_full_disk.py",
    "test_garbage.py",
    "test_journeys.py",
    "test_locales.py",
    "test_log_lines.py",
    "test_many.py",
    "test_postgresql.py",
    "test_reload.py",
    "test_retention.py",
    "test_route_scopes.py",
    "test_server_secrets.py",
    "test_two_users.py",
    "test_wheel.py",
)
"""Folders and files of slow tests, below `tests/`."""


_PATHS = frozenset(TESTS / each for each in SLOW)


@cache
def is_slow(path: Path) -> bool:
    """Return whether a file or folder is one of SLOW, or lies in one."""
    return path in _PATHS or not _PATHS.isdisjoint(path.parents)


def mark(items: Sequence[pytest.Item]) -> None:
    """Mark slow tests by their folder and database, but not smoke tests."""
    for item in items:
        if (is_slow(item.path) or _is_on_postgresql(item)) and not item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.slow)


def _is_on_postgresql(item: pytest.Item) -> bool:
    parameters = (
        item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    )
    fixtures = getattr(item, "fixturenames", ())
    # The second is a server of their own, which these tests stop.
    return not {"postgresql", "stopping"}.isdisjoint(fixtures) or any(each == "PostgreSQL" for each in parameters)
