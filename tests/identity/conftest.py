"""The app that signs users in at an OpenID provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.identity.oidc_front import Front, Make, served
from tests.oidc_provider.fake import FakeProvider


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    with ExitStack() as running:
        yield lambda *given, **values: running.enter_context(served(tmp_path, *given, **values))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with served(tmp_path_factory.mktemp("oidc"), FakeProvider()) as front:
        yield front


@pytest.fixture
def front(shared: Front) -> Front:
    """Return the app of the module without cookies, with a provider without faults."""
    shared.client.cookies.clear()
    for name, value in vars(FakeProvider()).items():
        setattr(shared.fake, name, value)
    return shared
