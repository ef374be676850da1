"""URI templates, with the examples of RFC 6570."""

from __future__ import annotations

from tests.tables import each_row
from webclient.web.pages.servers.uri_templates import expand, variables

VALUES = {"var": "value", "hello": "Hello World!", "path": "/foo/bar", "empty": "", "x": "1024", "y": "768"}


@each_row(
    ("template", "uri"),
    [
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{+hello}", "Hello%20World!"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("X{#hello}", "X#Hello%20World!"),
        ("map?{x,y}", "map?1024,768"),
        ("X{.x,y}", "X.1024.768"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{x,undefined}", "1024"),
        ("a{?undefined}", "a"),
        ("trip://{var}/{hello}", "trip://value/Hello%20World%21"),
        ("no variables", "no variables"),
    ],
)
def test_a_template_becomes_the_uri_of_the_rfc(template: str, uri: str) -> None:
    assert expand(template, VALUES) == uri


def test_variables_come_in_order_and_are_optional_in_a_query() -> None:
    assert variables("x://{b}/{a*}{?c,d:3}") == {"b": True, "a": True, "c": False, "d": False}


def test_a_variable_that_is_needed_anywhere_is_needed() -> None:
    assert variables("{?a}{a}") == {"a": True}
