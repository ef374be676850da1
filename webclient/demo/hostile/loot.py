"""The answers that the server got from people, each exactly as it came."""

from __future__ import annotations

from collections import deque
from typing import Any

Answer = dict[str, Any]
"""`{action, content?}` as the client sent it, or `{error}` with the code of a refusal."""

MOST = 1000
"""The number of answers that are remembered, the newest."""


class Loot:
    """The answers since this process was started, by attack."""

    def __init__(self) -> None:
        self._answers: deque[tuple[str, Answer]] = deque(maxlen=MOST)

    def add(self, attack: str, answer: Answer) -> None:
        """Remember an answer to an attack."""
        self._answers.append((attack, answer))

    def report(self) -> dict[str, Any]:
        """Return how many answers came, and the content of each that had any."""
        stolen = [
            {"attack": attack, "content": each["content"]} for attack, each in self._answers if each.get("content")
        ]
        return {"answers": len(self._answers), "stolen": stolen}
