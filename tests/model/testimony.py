"""The testimony of the witnesses, read bit by bit."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webclient.domain.model import Json


@dataclass(slots=True)
class Testimony:
    """The requests and answers of one witness, over all its starts.

    `requests` maps the message of each request that the witness pushed to the number of troubles of its seat before;
    `answers` maps messages to the answers that it received, and `rounds` does the same for rounds; `results` counts
    the results of calls by tag.
    """

    path: Path
    requests: dict[str, int] = field(default_factory=dict)
    answers: defaultdict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    rounds: defaultdict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    results: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    _read: int = 0

    def read(self, troubles: int) -> None:
        """Take in what is new; `troubles` is how many the seat had had when this was last done."""
        for line in self._new():
            match line["what"]:
                case "asked":
                    self.requests[line["message"]] = troubles
                case "answered":
                    self.answers[line["message"]].append(line["answer"])
                case "answers":
                    self.rounds[line["round"]].append(line["answers"])
                    for message, answer in line["answers"].items():
                        self.answers[message].append(answer)
                case "ended" if line["outcome"] == "complete":
                    self.results[line["tag"]] += 1

    def _new(self) -> Iterator[Json]:
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(self._read)
                for line in file:
                    if line.endswith(b"\n"):
                        self._read += len(line)
                        yield json.loads(line)
