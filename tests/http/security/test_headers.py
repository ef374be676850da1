"""Every response tells the browser what it must not do."""

from __future__ import annotations

from pathlib import Path

from tests.http.small_app import BEARER, HTML, TOKEN, client_of, make_app
from tests.tables import each_row
from webclient.support.paths import STATIC

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "media-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}

ANSWERS = [
    ("GET", "/page", BEARER, 200),
    ("GET", "/page", BEARER | HTML, 200),
    ("GET", "/page", HTML, 401),
    ("GET", "/page", {}, 401),
    ("GET", "/page", HTML | {"HX-Request": "true"}, 401),
    ("GET", "/page", {"Host": "evil.example"}, 400),
    ("GET", "/nowhere", BEARER | HTML, 404),
    ("GET", "/nowhere", BEARER, 404),
    ("GET", "/broken", BEARER | HTML, 500),
    ("GET", "/broken", BEARER, 500),
    ("GET", "/login", HTML, 200),
    ("GET", f"/login?token={TOKEN}", HTML, 200),
    ("GET", "/login?token=wrong", HTML, 403),
    ("GET", "/healthz", {}, 200),
    ("GET", "/static/none.css", {}, 404),
    ("POST", "/page", BEARER, 405),
    ("POST", "/act", BEARER | {"Sec-Fetch-Site": "cross-site"}, 403),
    ("POST", "/act", BEARER | {"Content-Type": "text/plain"}, 415),
    ("POST", "/act", BEARER | {"Content-Type": "application/json", "Content-Length": "9999999"}, 413),
    ("POST", "/form", BEARER, 422),
    ("OPTIONS", "/page", {"Origin": "https://evil.example"}, 401),
]


def policy(header: str) -> dict[str, str]:
    """Return the directives of a content security policy."""
    return dict(directive.split(" ", 1) for directive in header.split("; "))


@each_row(("method", "path", "headers", "status"), ANSWERS)
def test_every_answer_carries_them(method: str, path: str, headers: dict[str, str], status: int) -> None:
    response = client_of(make_app()).request(method, path, headers=headers)
    assert response.status_code == status
    assert policy(response.headers["content-security-policy"]) == POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert response.headers["cross-origin-opener-policy"] == "same-origin"
    assert response.headers["x-frame-options"] == "DENY"
    assert not [name for name in response.headers if name.startswith("access-control-")]
    if not path.startswith("/static/"):
        assert response.headers["cache-control"] == "no-store"


def test_static_files_are_cached_and_revalidated() -> None:
    shipped = next(path for path in sorted(STATIC.rglob("*")) if path.is_file())
    response = client_of(make_app()).get(f"/static/{shipped.relative_to(STATIC).as_posix()}")
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-cache")
    assert "content-security-policy" in response.headers


def test_only_the_origins_that_are_named_may_frame_us() -> None:
    app = make_app(embed_origins=["https://chat.example.com", "http://localhost:3000"])
    headers = client_of(app).get("/login").headers
    ancestors = policy(headers["content-security-policy"])["frame-ancestors"]
    assert ancestors == "https://chat.example.com http://localhost:3000"
    assert "x-frame-options" not in headers


def test_behind_a_proxy_name_our_own_forms_send_their_origin() -> None:
    # Without Sec-Fetch-Site (plain HTTP to another machine) the Origin decides, and no-referrer makes it
    # "null".
    headers = client_of(make_app(allowed_hosts=["box.example.com"])).get("/login").headers
    assert headers["referrer-policy"] == "same-origin"


def test_no_template_carries_what_the_policy_forbids() -> None:
    templates = Path(STATIC).parent / "templates"
    forbidden = ("<style", " style=", "<script>", " onclick=", "javascript:", "|safe", "| safe")
    found = [
        (path.name, word)
        for path in templates.rglob("*.html")
        for word in forbidden
        if word in path.read_text(encoding="utf-8")
    ]
    assert found == []
