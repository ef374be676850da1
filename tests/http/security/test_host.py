"""Only names that mean this machine are answered (DNS rebinding)."""

from __future__ import annotations

from functools import cache

from tests.http.small_app import BEARER, client_of, make_app
from tests.tables import each_row

app = cache(make_app)


@each_row(
    "host",
    [
        "localhost",
        "localhost:1",
        "LocalHost:8765",
        "127.0.0.1",
        "127.0.0.1:8765",
        "127.1.2.3:8765",
        "[::1]",
        "[::1]:8765",
    ],
)
def test_a_loopback_name_is_answered_on_any_port(host: str) -> None:
    assert client_of(app(), BEARER).get("/page", headers={"Host": host}).status_code == 200


@each_row(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1.nip.io",
        "localhost.",
        "localhost.evil.example",
        "user@localhost",
        "localhost@evil.example",
        "evil.example,localhost",
        "localhost, localhost",
        "localhost:",
        "localhost:x",
        "localhost/evil",
        "[::1",
        "::1",
        "0.0.0.0",  # noqa: S104
        "192.168.1.5",
        "2130706433",
        "127.1",
        "lоcalhost",  # a Cyrillic о
        "",
    ],
)
def test_any_other_name_is_refused_on_every_path(host: str) -> None:
    client = client_of(app(), BEARER)
    for path in ("/page", "/login", "/healthz", "/static/none", "/nowhere"):
        assert client.get(path, headers={b"Host": host.encode()}).status_code == 400, path


def test_a_refusal_names_what_was_seen_and_the_option() -> None:
    response = client_of(make_app()).get("/page", headers={"Host": "box.example.com:80"})
    detail = response.json()["detail"]
    assert "box.example.com:80" in detail
    assert "--allowed-host" in detail


def test_an_allowed_host_is_answered_and_its_relatives_are_not() -> None:
    client = client_of(make_app(allowed_hosts=["box.example.com", "fe80::1"]), BEARER)
    status = {
        host: client.get("/page", headers={"Host": host}).status_code
        for host in ("BOX.example.com:443", "[fe80::1]:80", "example.com", "a.box.example.com")
    }
    assert status == {
        "BOX.example.com:443": 200,
        "[fe80::1]:80": 200,
        "example.com": 400,
        "a.box.example.com": 400,
    }


def test_two_hosts_in_one_request_are_refused() -> None:
    headers = [("Host", "127.0.0.1"), ("Host", "127.0.0.1"), ("Authorization", BEARER["Authorization"])]
    assert client_of(make_app()).get("/page", headers=headers).status_code == 400


def test_a_forwarded_host_is_not_trusted() -> None:
    headers = {"Host": "evil.example", "X-Forwarded-Host": "localhost", "Forwarded": "host=localhost"}
    assert client_of(make_app(), BEARER).get("/page", headers=headers).status_code == 400
