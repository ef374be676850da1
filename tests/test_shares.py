"""Shares of a pool: what one owner takes leaves the places and values of others alone."""

from __future__ import annotations

import pytest

from webclient.domain.shares import Places, ShareTakenError, Shelf


def test_each_owner_has_places_of_its_own_until_they_are_free() -> None:
    places = Places(1)
    with places.taken("mallory", "full"):
        with pytest.raises(ShareTakenError, match="full"), places.taken("mallory", "full"):
            pass
        with places.taken("ada", "full"):
            assert not places.has_place("ada")
    assert places.has_place("mallory")
    assert vars(places)["_taken"] == {}


def test_a_flood_of_one_owner_drops_its_own_oldest_value() -> None:
    shelf = Shelf[int](3)
    shelf.put("ada", "hers", 0)
    for number in range(1000):
        shelf.put("mallory", str(number), number)
    assert [shelf.take(key) for key in ("hers", "996", "997", "999", "999")] == [0, None, 997, 999, None]
    assert len(shelf) == 1
    assert shelf.take("998") == 998
    assert vars(shelf)["_keys"] == {}
