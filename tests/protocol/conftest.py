"""What these tests share: short pauses before something is tried again."""

from tests.pauses import short_pauses

__all__ = ["short_pauses"]
