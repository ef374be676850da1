"""Short pauses before something is tried again, for all tests of servers."""

from tests.pauses import short_pauses

__all__ = ["short_pauses"]
