"""What the witnesses wrote down, read bit by bit."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webclient.model import Json


@dataclass(slots=True)
class Testimony:
    """What one witness, however often it was started, asked and was answered.

    `asked` are the questions that it pushed by message, with the troubles of its seat at the last look before; `told`
    are the answers that it got by message, `rounds` those with which a round came back by the round, and `results` is
    how often a call ended with a result by its tag.
    """

    path: Path
    asked: dict[str, int] = field(default_factory=dict)
    told: defaultdict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    rounds: defaultdict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    results: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    _read: int = 0

    def read(self, troubles: int) -> None:
        """Take in what is new; `troubles` is how many the seat had had when this was last done."""
        for line in self._new():
            match line["what"]:
                case "asked":
                    self.asked[line["message"]] = troubles
                case "answered":
                    self.told[line["message"]].append(line["answer"])
                case "answers":
                    self.rounds[line["round"]].append(line["answers"])
                    for message, answer in line["answers"].items():
                        self.told[message].append(answer)
                case "ended" if line["outcome"] == "result":
                    self.results[line["tag"]] += 1

    def _new(self) -> Iterator[Json]:
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(self._read)
                for line in file:
                    if line.endswith(b"\n"):
                        self._read += len(line)
                        yield json.loads(line)
