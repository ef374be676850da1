"""Rules that templates, styles and scripts keep everywhere, because a single breach would matter."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path

import webclient
from tests.mcp_servers import ROOT
from tests.tables import each_row
from webclient.support.paths import STATIC, TEMPLATES

LETTERS = string.ascii_letters + string.digits
FILES = sorted(path for path in TEMPLATES.rglob("*") if path.is_file())


def lines_with(pattern: str, files: Iterator[Path] | list[Path]) -> list[str]:
    found = re.compile(pattern, re.IGNORECASE)
    return [
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text("utf-8").splitlines()
        if found.search(line)
    ]


def test_every_template_is_called_html() -> None:
    assert [path.name for path in FILES if path.suffix != ".html"] == []


def test_a_partial_template_starts_with_an_underscore() -> None:
    whole = {path for path in FILES if re.search(r"{% extends|<!doctype html>", path.read_text("utf-8"), re.IGNORECASE)}
    # The template of a kind has the name of its kind.
    ruled = [path for path in FILES if path.parent.name != "kinds"]
    assert [path.name for path in ruled if path.name.startswith("_") == (path in whole)] == []


@each_row(
    "forbidden",
    [
        r"\|\s*safe\b",  # server text is always escaped
        r"autoescape",
        r"\bstyle\s*=",  # the policy allows no inline style
        r"\bon[a-z]+\s*=\s*[\"']",  # nor inline script
        r"\bhx-on\b",
        r"\bhx-vals=.js:",
        r"<script(?![^>]*\bsrc=)",
        r"<style\b",
        r"javascript:",
    ],
)
def test_no_template_breaks_the_content_security_policy(forbidden: str) -> None:
    assert lines_with(forbidden, FILES) == []


def test_text_with_its_own_direction_has_its_own_language() -> None:
    assert lines_with(r'<bdi(?![^>]*lang="")|dir="auto"(?! lang="")', FILES) == []


def test_no_address_that_a_server_sent_becomes_a_link() -> None:
    ours = re.compile(r'href="(/|#|{{ here }}|{{ asset\()')
    links = [line for line in lines_with("href=", FILES) if not all(map(ours.match, re.findall(r'href="[^"]*', line)))]
    assert links == []


def test_scrolling_regions_can_be_reached_by_keyboard() -> None:
    assert lines_with(r'<pre(?! tabindex="0")', FILES) == []


def test_no_other_module_names_an_hx_header() -> None:
    modules = [path for path in Path(webclient.__file__).parent.rglob("*.py") if path.name != "htmx.py"]
    assert lines_with(r"[\"']hx-", modules) == []


def test_scripts_neither_evaluate_text_nor_write_html() -> None:
    scripts = list((STATIC / "js").glob("*.js"))
    assert scripts
    assert lines_with(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write", scripts) == []


def test_components_use_meanings_and_never_raw_values() -> None:
    sheets = [path for path in (STATIC / "css").glob("*.css") if path.name != "tokens.css"]
    assert lines_with(r"--raw-|#[0-9a-f]{3,8}\b|\brgba?\(", sheets) == []


def test_light_and_dark_differ_in_values_of_colors_only() -> None:
    """`tests/browser/axe.py` relies on it: in the second scheme it checks colors only."""
    sheets = list((STATIC / "css").glob("*.css"))
    assert [line for line in lines_with(r"light-dark\(", sheets) if not line.startswith("tokens.css: --color-")] == []
    assert lines_with("prefers-color-scheme|matchMedia", [*sheets, *FILES, *(STATIC / "js").glob("*.js")]) == []


def test_narrow_pages_show_nothing_new_and_in_the_same_colors() -> None:
    """`tests/browser/axe.py` relies on it: it checks the narrow page in one scheme only."""
    text = "".join(path.read_text("utf-8") for path in (STATIC / "css").glob("*.css"))
    sized = r"^@(?:container|media) ([^{\n]*(?:width|inline-size)[^{\n]*) \{\n(.*?)^\}"
    blocks = re.findall(sized, text, re.MULTILINE | re.DOTALL)
    assert blocks
    for condition, block in blocks:
        declared = re.findall(r"^\s+([a-z-]+): (.*);$", block, re.MULTILINE)
        colors = re.compile("color|background|opacity|filter|shadow|^--")
        assert [name for name, _ in declared if colors.search(name)] == [], condition
        if not re.search(r">|min-", condition):
            assert {value for name, value in declared if name == "display"} <= {"none"}, condition


def test_with_reduced_motion_nothing_moves() -> None:
    """WCAG 2.2, 2.3.3. The two animations named here move nothing: they hold a state for a moment or 250 ms."""
    text = "".join(path.read_text("utf-8") for path in (STATIC / "css").glob("*.css"))
    motion = r"^@media \(prefers-reduced-motion: no-preference\) \{\n.*?^\}"
    rest = re.sub(motion, "", text, flags=re.MULTILINE | re.DOTALL)
    assert rest != text
    moved = re.findall(r"(?<![\w-])(?:transition|animation|scroll-behavior)[a-z-]*: (\S+?)[; ]", rest)
    assert set(moved) <= {"inert", "awaited", "250ms", "none"}
    assert lines_with(r"smooth|\.animate\(", list((STATIC / "js").glob("*.js"))) == []


def test_a_class_belongs_to_one_component() -> None:
    classes = [
        (each, path.name)
        for path in (STATIC / "css").glob("*.css")
        for each in set(re.findall(r"^(\.[\w-]+)", path.read_text("utf-8"), re.MULTILINE))
    ]
    homes = dict(classes)
    assert [(each, sheet, homes[each]) for each, sheet in classes if homes[each] != sheet] == []


def test_every_token_that_is_used_is_defined() -> None:
    text = "".join(path.read_text("utf-8") for path in (STATIC / "css").glob("*.css"))
    assert set(re.findall(r"var\((--[a-z0-9-]+)", text)) <= set(re.findall(r"^\s*(--[a-z0-9-]+):", text, re.MULTILINE))


def test_the_document_has_each_token_with_its_value() -> None:
    """`docs/design.md` says what each meaning is for, and the sizes that it names are those of the style sheet."""
    tokens = dict(re.findall(r"^  (--(?!raw-)[a-z0-9-]+): ([^;]+);", sheet("tokens"), re.MULTILINE))
    text = (ROOT / "docs/design.md").read_text("utf-8")
    written = dict(re.findall(r"^\| `(--[a-z0-9-]+)` \| (\S[^|]*?) \|", text, re.MULTILINE))
    sized = {name for name in tokens if re.match(r"--(text|space|radius|column|inset|measure)", name)}
    assert {name: written.get(name) for name in sized} == {name: tokens[name] for name in sized}
    named = set(re.findall(r"`(--[a-z0-9-]+)`", text))
    assert named <= tokens.keys()
    assert {name for name in tokens if not re.match(r"--color-tile-[1-6]", name)} <= named


def test_the_document_has_each_width_at_which_a_page_changes() -> None:
    sheets = "".join(path.read_text("utf-8") for path in (STATIC / "css").glob("*.css"))
    widths = set(re.findall(r"@media \([^)]*width[^)\d]*([\d.]+rem)\)", sheets))
    text = (ROOT / "docs/design.md").read_text("utf-8")
    assert widths == set(re.findall(r"^\| ([\d.]+rem) \|", text, re.MULTILINE))


def sheet(name: str) -> str:
    return (STATIC / "css" / f"{name}.css").read_text("utf-8")


def test_every_class_that_a_component_has_is_used() -> None:
    text = "".join(path.read_text("utf-8") for path in (STATIC / "css").glob("*.css"))
    classes = set(re.findall(r"\.(-?[a-z_][\w-]*)", re.sub(r"/\*.*?\*/|url\([^)]*\)", "", text, flags=re.DOTALL)))
    written = "".join(path.read_text("utf-8") for path in [*FILES, *(STATIC / "js").glob("*.js")])
    # The last part of some is a value or a block, as in `dot--{{ state }}` and `demo--{% block kind %}`.
    by_value = {each for each in classes if any(each.rstrip(LETTERS) + mark in written for mark in ("{{", "{%"))}
    assert {each for each in classes - by_value if each not in written} <= {"htmx-added", "htmx-request"}


def test_classes_follow_one_convention() -> None:
    """Block, block__element and --modifier (BEM); words are separated by one hyphen."""
    word = r"[a-z0-9]+(?:-[a-z0-9]+)*"
    form = re.compile(rf"{word}(__{word})?(--[a-z0-9_-]+)?")
    text = "".join(path.read_text("utf-8") for path in (STATIC / "css").glob("*.css"))
    classes = set(re.findall(r"\.(-?[a-z_][\w-]*)", re.sub(r"/\*.*?\*/|url\([^)]*\)", "", text, flags=re.DOTALL)))
    assert {each for each in classes if not form.fullmatch(each)} == set()
    # An element is never written as another block: `field__hint`, not `field-hint`.
    blocks = {each for each in classes if "__" not in each and "--" not in each}
    own = {"entry-row", "entry-search", "error-summary", "server-link"}
    assert {each for each in blocks if each.rpartition("-")[0] in blocks} <= own
