"""A toy language for tests: every sentence in capitals, its placeholders as they are."""

from __future__ import annotations

import re
from gettext import NullTranslations


class Loud(NullTranslations):
    """Translates into capitals."""

    def gettext(self, message: str) -> str:
        """Return `message` in capitals."""
        return "".join(part if part[0] == "{" else part.upper() for part in re.split(r"(\{[^}]*\})", message) if part)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form of the message that fits `n`, in capitals."""
        return self.gettext(msgid1 if n == 1 else msgid2)
