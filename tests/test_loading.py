"""Loading without the garbage collector."""

from __future__ import annotations

import gc

import pytest

from webclient.support.loading import loading


def test_loaded_objects_are_excluded_from_collection() -> None:
    class Loaded:
        pass

    try:
        with loading():
            assert not gc.isenabled()
            loaded = Loaded()
        assert gc.isenabled()
        assert all(each is not loaded for each in gc.get_objects())
    finally:
        gc.unfreeze()


def test_a_failure_resumes_the_collection() -> None:
    try:
        with pytest.raises(ImportError), loading():
            raise ImportError
        assert gc.isenabled()
    finally:
        gc.unfreeze()
