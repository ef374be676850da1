"""Addresses of ours under the path of a proxy: in templates, in headers, and in requests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest
from jinja2 import DictLoader, Environment
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from webclient.web.http.base_path import BasePath, OwnAddresses, base_path, based

pytestmark = pytest.mark.anyio


async def show(request: Request) -> Response:
    template = Environment(extensions=[OwnAddresses], loader=DictLoader({"page": TEMPLATE}), autoescape=True)
    template.globals["base_path"] = base_path
    template.filters["based"] = based
    text = template.get_template("page").render(ours="/calls", other="https://billing.example/a", typed="/etc")
    response = JSONResponse([request.url.path, text])
    response.headers.append("set-cookie", "a=b; Path=/; HttpOnly")
    response.set_cookie("c", "d", path="/oauth/callback")
    return response


async def redirect(request: Request) -> Response:
    return RedirectResponse(request.query_params["to"])


TEMPLATE = """
<a href="/servers/{{ 7 }}">/servers</a> <a href="{{ ours if ours else other }}"> <a href="{{ other }}"> <a href="#here">
<form action="{{ ours }}/7"><input value="{{ typed }}" data-typed="{{ typed }}"> <a href="//other.example/">
"""


@pytest.fixture
async def browser() -> AsyncIterator[httpx2.AsyncClient]:
    app = BasePath(Starlette(routes=[Route("/page", show), Route("/", show), Route("/to", redirect)]), "/inbox")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://box.example") as browser:
        yield browser


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/inbox/page", "/page"), ("/page", "/page"), ("/inbox/", "/"), ("/inbox", "/")],
)
async def test_a_route_sees_the_path_without_the_base(browser: httpx2.AsyncClient, path: str, seen: str) -> None:
    assert (await browser.get(path)).json()[0] == seen


@pytest.mark.parametrize("path", ["/inboxes/page", "/inbox/inbox/page", "/inboxpage"])
async def test_a_path_that_only_begins_like_the_base_is_not_found(browser: httpx2.AsyncClient, path: str) -> None:
    assert (await browser.get(path)).status_code == 404


async def test_templates_put_the_base_onto_our_addresses_only(browser: httpx2.AsyncClient) -> None:
    html = (await browser.get("/inbox/page")).json()[1]
    assert html == TEMPLATE.replace('"/servers/{{ 7 }}"', '"/inbox/servers/7"').replace(
        "{{ ours if ours else other }}", "/inbox/calls"
    ).replace("{{ ours }}", "/inbox/calls").replace("{{ other }}", "https://billing.example/a").replace(
        "{{ typed }}", "/etc"
    ).rstrip("\n")


async def test_cookies_are_kept_from_other_programs_of_the_host(browser: httpx2.AsyncClient) -> None:
    cookies = (await browser.get("/inbox/page")).headers.get_list("set-cookie")
    assert [cookie.lower().partition("path=")[2].partition(";")[0] for cookie in cookies] == [
        "/inbox/",
        "/inbox/oauth/callback",
    ]


@pytest.mark.parametrize(
    ("to", "location"),
    [
        ("/calls/7?a=b", "/inbox/calls/7?a=b"),
        ("https://login.example/x", "https://login.example/x"),
        # Another program behind the same proxy.
        ("http://box.example/login", "http://box.example/login"),
        ("//box.example/x", "//box.example/x"),
    ],
)
async def test_redirects_to_our_pages_stay_below_the_base(browser: httpx2.AsyncClient, to: str, location: str) -> None:
    assert (await browser.get("/inbox/to", params={"to": to})).headers["location"] == location


async def test_a_slash_too_many_leads_below_the_base(browser: httpx2.AsyncClient) -> None:
    assert (await browser.get("/inbox/page/")).headers["location"] == "/inbox/page"
