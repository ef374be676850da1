"""Writes docs/reasons.md from the codes and their sentences; below its introduction nothing is written by hand."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from webclient.domain.model import ReasonCode

DOCS = Path(__file__).parents[1] / "docs" / "reasons.md"

_GROUP = re.compile(r"^    # (.*)\.\n    (\w+) = ", re.MULTILINE)
"""The comment above the first code of a group."""


def written(before: str) -> str:
    """Return the document with its tables made again."""
    headings = {ReasonCode[name]: heading for heading, name in _GROUP.findall(inspect.getsource(ReasonCode))}
    lines = [before.partition("\n## ")[0].rstrip()]
    for code in ReasonCode:
        if code in headings:
            lines += ["", f"## {headings[code]}", "", "| code | sentence |", "| --- | --- |"]
        lines.append(f"| `{code}` | {code.sentence if isinstance(code.sentence, str) else code.sentence.many} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DOCS.write_text(written(DOCS.read_text("utf-8")), "utf-8")
