"""The sentences for translators: gathered from code and templates, and compared with the catalogs.

`make messages` adds new sentences without a translation, and marks reworded ones as fuzzy.
`python -m tests.messages --missing` lists sentences without a translation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

import webclient
from webclient.domain.languages import DEFAULT, LANGUAGES, catalog_of
from webclient.support.paths import TEMPLATES

PACKAGE = Path(webclient.__file__).parent

KEYWORDS = {"_": None, "N_": None, "gettext": None, "ngettext": (1, 2), "Plural": (1, 2), "Deferred": None}
"""Functions whose arguments are sentences, and which arguments if there are several."""

_NOISE = re.compile(
    r'^"(POT-Creation-Date|PO-Revision-Date|Generated-By|Report-Msgid-Bugs-To|Project-Id-Version|Last-Translator'
    r'|Language-Team): .*"\n',
    re.MULTILINE,
)
"""Header lines that repeat the history of the file."""

TRANSLATED = [tag for tag in LANGUAGES if tag != DEFAULT]


def sources() -> Iterator[tuple[Path, str]]:
    """Yield each file with sentences, and what reads it; the servers of the demo are programs of their own."""
    for folder, pattern, method in ((PACKAGE, "*.py", "python"), (TEMPLATES, "*.html", "jinja2.ext:babel_extract")):
        for path in sorted(folder.rglob(pattern)):
            if path.relative_to(folder).parts[0] != "demo":
                yield path, method


@cache
def extracted() -> Catalog:
    """Return the sentences of all files."""
    catalog = Catalog(project="mcp-webclient")
    for path, method in sources():
        folder = PACKAGE if path.is_relative_to(PACKAGE) else TEMPLATES
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        found = extract_from_file(method, path, keywords=KEYWORDS, options={"silent": "false"})
        for line, text, comments, context in found:
            if text not in ("", None):
                catalog.add(text, None, [(name, line)], auto_comments=comments, context=context)
    return catalog


def catalog(tag: str) -> Catalog:
    """Return the catalog of a language as it is in its file."""
    with catalog_of(tag).open("rb") as file:
        return read_po(file, locale=tag.replace("-", "_"))


def missing(tag: str) -> list[str]:
    """Return the sentences without a translation, or with a fuzzy one."""
    known = catalog(tag)
    return [_singular(each) for each in extracted() if each.id and not _is_translated(known.get(each.id))]


def unused(tag: str) -> list[str]:
    """Return the sentences of a catalog that the code does not use."""
    known = catalog(tag)
    left = [_singular(each) for each in known if each.id and extracted().get(each.id) is None]
    return [*left, *map(str, known.obsolete)]


def update(tag: str) -> None:
    """Bring the catalog of a language up to date: add new sentences, remove unused ones."""
    path = catalog_of(tag)
    found = catalog(tag) if path.exists() else Catalog(locale=tag.replace("-", "_"), project="mcp-webclient")
    found.update(extracted())
    found.obsolete.clear()
    found.fuzzy = False
    # The history of the file has the previous wording.
    for message in found:
        message.previous_id = []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_written(found), "utf-8")


def as_written(found: Catalog) -> str:
    """Return the text of a catalog file: sorted, without line numbers and dates, so that diffs are small."""
    file = BytesIO()
    found.header_comment = "# The sentences of mcp-webclient in another language; see docs/contributing.md."
    write_po(file, found, width=120, sort_output=True, include_lineno=False)
    return _NOISE.sub("", file.getvalue().decode())


def _is_translated(message: Message | None) -> bool:
    if message is None or message.fuzzy:
        return False
    return all(message.string) if isinstance(message.string, tuple) else bool(message.string)


def _singular(message: Message) -> str:
    return str(message.id[0] if isinstance(message.id, tuple) else message.id)


def main() -> None:
    """Update the catalogs, or list missing translations."""
    for tag in TRANSLATED:
        if "--missing" not in sys.argv:
            update(tag)
        lines = missing(tag)
        sys.stdout.write("".join(f"{tag}: {line!r}\n" for line in lines) if "--missing" in sys.argv else "")
        sys.stdout.write(f"{tag}: {len(lines)} of {len(extracted())} sentences need a translation.\n")


if __name__ == "__main__":
    main()
