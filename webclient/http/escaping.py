"""What a template puts out is escaped here, one value at a time, with autoescape on for all of them.

Jinja's own way wraps each value as safe once it is escaped, which takes ten times as long as the escaping and is of
no use to what is written at once. The page of a long form holds thousands of values.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment
from jinja2.compiler import CodeGenerator
from markupsafe import _escape_inner as escape_text  # type: ignore[attr-defined]  # its version is pinned for this
from markupsafe import escape


def escaped(value: object) -> str:
    """Return `value` as text between tags or quotes; what a template made itself, such as a macro, as it is."""
    # Safe because `escape` does the same to a plain text, and only then wraps it.
    return escape_text(value) if type(value) is str else escape(value)


class _Generator(CodeGenerator):
    """Writes `escaped` where Jinja writes `escape`; a Jinja that asks otherwise would get its own, slower one."""

    def _output_child_pre(self, *_output: Any) -> None:
        self.write("environment.escaped(")


class EscapingEnvironment(Environment):
    """Templates of which every value that is put out passes through `escaped`."""

    code_generator_class = _Generator
    escaped = staticmethod(escaped)
