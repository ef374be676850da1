"""Possible secrets in addresses and arguments are masked; all that helps to recognise the server stays."""

from __future__ import annotations

from tests.tables import each_row
from webclient.content.masking import mask_arguments, mask_secrets, public_transport, secrets_of
from webclient.domain.model import Json
from webclient.domain.urls import HIDDEN, mask_url

KEY = "sk-proj-a1B2c3D4e5F6g7H8i9J0k1L2"


@each_row(
    ("url", "shown"),
    [
        ("https://mcp.example.com:8443/mcp", "https://mcp.example.com:8443/mcp"),
        ("https://user:pw@host/mcp", f"https://{HIDDEN}@host/mcp"),
        ("https://token@host/mcp", f"https://{HIDDEN}@host/mcp"),
        ("https://a:b@c@host/mcp", f"https://{HIDDEN}@host/mcp"),
        ("https://host/mcp?api_key=abc&zone=eu", f"https://host/mcp?api_key={HIDDEN}&zone={HIDDEN}"),
        ("https://host/mcp?abc", f"https://host/mcp?{HIDDEN}"),
        ("https://host/mcp#access_token=abc", f"https://host/mcp#access_token={HIDDEN}"),
        ("https://host/mcp?k=a=b", f"https://host/mcp?k={HIDDEN}"),
        ("https://host/?k=${KEY}", "https://host/?k=${KEY}"),
        ("https://host/s/Zm9vYmFyQ1x2y3Z4/mcp", f"https://host/s/{HIDDEN}/mcp"),
        ("https://host/7d736ccb-88b5-4833-9ee9-f9f71ff80201/sse", f"https://host/{HIDDEN}/sse"),
        ("http://127.0.0.1:8000/mcp/v2/server-everything", "http://127.0.0.1:8000/mcp/v2/server-everything"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        ("", ""),
    ],
)
def test_addresses_lose_login_query_values_and_random_parts(url: str, shown: str) -> None:
    assert mask_url(url) == shown
    assert mask_url(shown) == shown


@each_row(
    ("given", "shown"),
    [
        (["-y", "@modelcontextprotocol/server-everything@2026.1.1"], None),
        (["--port", "8000", "--dir=/srv/files", "-v"], None),
        (["--api-key", "hunter2"], ["--api-key", HIDDEN]),
        (["--api-key=hunter2"], [f"--api-key={HIDDEN}"]),
        (["--password", "--verbose"], None),
        (["-e", "GITHUB_TOKEN=hunter2", "-e", "ZONE=eu"], ["-e", f"GITHUB_TOKEN={HIDDEN}", "-e", "ZONE=eu"]),
        (["--header", "Authorization: Bearer hunter2"], ["--header", HIDDEN]),
        (["Authorization:Bearer hunter2"], [f"Authorization:{HIDDEN}"]),
        (["-H", "X-Key: hunter2"], ["-H", HIDDEN]),
        (["--header", "Bearer ${TOKEN}"], None),
        (["--token", "${TOKEN}", "--token=${TOKEN}"], None),
        (["postgres://me:pw@db.example/x"], [f"postgres://{HIDDEN}@db.example/x"]),
        (["Server=db;Password=hunter2;Zone=eu"], [f"Server=db;Password={HIDDEN};Zone=eu"]),
        (['{"apiKey": "hunter2"}'], [f'{{"apiKey": "{HIDDEN}"}}']),
        ([KEY], [HIDDEN]),
        ([f"--with={KEY}"], [f"--with={HIDDEN}"]),
        (["c:\\srv\\files", "https://host/mcp?x=1"], ["c:\\srv\\files", f"https://host/mcp?x={HIDDEN}"]),
    ],
)
def test_arguments_lose_secrets_by_option_name_and_shape(given: list[str], shown: list[str] | None) -> None:
    assert mask_arguments(given) == (given if shown is None else shown)


def test_a_public_transport_has_no_headers_and_no_environment() -> None:
    transport: Json = {"type": "http", "url": "https://u:p@host/mcp", "headers": {"A": "s3same"}}
    assert public_transport(transport) == {"type": "http", "url": f"https://{HIDDEN}@host/mcp"}


def test_hidden_texts_are_taken_out_of_sentences() -> None:
    transport: Json = {
        "type": "stdio",
        "command": "x",
        "args": ["--token=first-secret", "postgres://me:second-secret@db/x", "${A}"],
        "env": {"API_KEY": "third-secret", "PORT": "3000000"},
        "headers": {"Authorization": "Bearer fourth-secret"},
    }
    hidden = secrets_of(transport, public_transport(transport))
    sentence = "first-secret second-secret third-secret fourth-secret 3000000"
    assert mask_secrets(hidden, sentence) == f"{HIDDEN} {HIDDEN} {HIDDEN} {HIDDEN} 3000000"


def test_an_expanded_value_is_masked_by_its_placeholder() -> None:
    used: Json = {"type": "http", "url": "https://host/t0ken-value/mcp?k=other-value"}
    shown: Json = {"type": "http", "url": "https://host/${TOKEN}/mcp?k=${KEY}"}
    assert mask_secrets(secrets_of(used, shown), "no t0ken-value, no other-value") == f"no {HIDDEN}, no {HIDDEN}"
