"""Behind a proxy that signs: its assertion names the user, and each refusal is a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from time import time
from typing import Any

import httpx2
import pytest

from tests.assertions.signing import AUDIENCES, AWS, CLOUDFLARE, GOOGLE, SETTINGS, SigningProxy, signing_proxy
from tests.tables import each_row
from tests.two_users import PROXY
from webclient import services
from webclient.domain.model import Json
from webclient.runtime.app import create_app
from webclient.settings import SettingsError, load_settings
from webclient.settings.assertions import AssertionKind

pytestmark = pytest.mark.anyio

Headers = dict[str, str] | list[tuple[str, str]]

HEADER = "Cf-Access-Jwt-Assertion"
ELSEWHERE = ("10.9.9.9", 50000)


@pytest.fixture(scope="module")
async def proxy(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[SigningProxy]:
    async with signing_proxy(CLOUDFLARE, tmp_path_factory.mktemp("keys")) as proxy:
        yield proxy


async def answers(
    proxy: SigningProxy,
    folder: Path,
    *headers: Headers,
    peer: tuple[str, int] = PROXY,
    **changed: Any,
) -> list[tuple[int, Json]]:
    """Return the status and JSON of /me for each of the headers."""
    settings = proxy.loaded(folder, **changed)
    app = create_app(settings)
    async with services.running(app.state.services, []):
        transport = httpx2.ASGITransport(app=app, client=peer)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client:
            got = [await client.get("/api/v1/me", headers=each) for each in headers]
            return [(each.status_code, each.json()) for each in got]


async def test_the_assertion_names_the_user_wherever_it_comes_from(proxy: SigningProxy, tmp_path: Path) -> None:
    signed = [{HEADER: proxy.signed(sub=subject)} for subject in ("1", "1", "2")]
    one, again, two = await answers(proxy, tmp_path, *signed, peer=ELSEWHERE, admins=["ada@corp.example"])
    assert (one[0], one[1]["role"], one[1]["user_id"]) == (200, "admin", again[1]["user_id"])
    assert two[1]["user_id"] != one[1]["user_id"]


async def test_an_address_that_is_named_counts_as_well(proxy: SigningProxy, tmp_path: Path) -> None:
    signed = {HEADER: proxy.signed()}
    named: dict[str, Any] = {"trusted_proxies": ["10.1.2.0/24"]}
    assert [each[0] for each in await answers(proxy, tmp_path / "one", signed, **named)] == [200]
    assert [each[0] for each in await answers(proxy, tmp_path / "two", signed, peer=ELSEWHERE, **named)] == [400]


async def test_every_refusal_is_a_sentence(proxy: SigningProxy, tmp_path: Path) -> None:
    right = proxy.signed()
    bad: list[Headers] = [
        {},
        {HEADER: ""},
        [(HEADER, right), (HEADER, right)],
        {HEADER.replace("-", "_"): right},
        {HEADER: proxy.signed(exp=int(time()) - 60)},
        {HEADER: proxy.signed(aud="another")},
        {HEADER: proxy.signed(sub="x" * 256)},
        {HEADER: right, "Authorization": "Bearer wrong"},
    ]
    found = await answers(proxy, tmp_path, *bad)
    assert [status for status, _problem in found] == [401, 401, 400, 400, 401, 401, 401, 401]
    assert all(problem["detail"].endswith(".") for _status, problem in found)
    assert [problem.get("code") for _status, problem in found[4:6]] == ["expired", "wrong_audience"]
    assert right not in str(found)


async def test_the_header_without_a_signature_signs_no_one_in(proxy: SigningProxy, tmp_path: Path) -> None:
    plain = [{HEADER: "ada"}, {"Remote-User": "ada"}, {"Cf-Access-Authenticated-User-Email": "ada@corp.example"}]
    assert [each[0] for each in await answers(proxy, tmp_path, *plain)] == [401] * 3


ALB = {"auth_jwt": AWS, "auth_audience": AUDIENCES[AWS], **SETTINGS[AWS]}
IAP = {"auth_jwt": GOOGLE, "auth_audience": AUDIENCES[GOOGLE]}
TEAM = {"auth_jwt": CLOUDFLARE, "auth_audience": AUDIENCES[CLOUDFLARE], **SETTINGS[CLOUDFLARE]}


@pytest.mark.parametrize(
    ("right", "address"),
    [
        (TEAM, "https://corp.cloudflareaccess.com/cdn-cgi/access/certs"),
        (IAP, "https://www.gstatic.com/iap/verify/public_key-jwk"),
        (ALB, "https://public-keys.auth.elb.eu-west-1.amazonaws.com"),
        (
            ALB
            | {"auth_signer": "arn:aws-us-gov:elasticloadbalancing:us-gov-west-1:123456789012:loadbalancer/app/a/b"},
            "https://s3-us-gov-west-1.amazonaws.com/aws-elb-public-keys-prod-us-gov-west-1",
        ),
    ],
)
def test_each_kind_knows_where_its_keys_are(right: Json, address: str) -> None:
    assert load_settings(identity=["proxy"], **right).key_address == address


@each_row(
    "wrong",
    [
        TEAM | {"auth_audience": None},
        TEAM | {"auth_issuer": None},
        TEAM | {"auth_issuer": "http://corp.cloudflareaccess.com"},
        TEAM | {"auth_signer": SETTINGS[AWS]["auth_signer"]},
        TEAM | {"auth_header": "Remote-User"},
        TEAM | {"auth_email_header": "Remote-Email"},
        TEAM | {"identity": ["local"]},
        TEAM | {"trusted_proxies": ["0.0.0.0/0"]},
        TEAM | {"auth_keys": "http://keys.example/keys"},
        TEAM | {"auth_jwt": "badge"},
        IAP | {"auth_issuer": "https://corp.example"},
        ALB | {"auth_signer": None},
        ALB | {"auth_signer": "arn:aws:iam::123456789012:user/eve"},
        ALB | {"auth_issuer": None},
        {"auth_audience": "x"},
        {},
    ],
)
def test_half_of_the_settings_for_assertions_is_refused(wrong: Json) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(**{"identity": ["proxy"]} | wrong)
    assert str(raised.value).endswith(".")


def test_an_alb_elsewhere_needs_the_address_of_its_keys() -> None:
    elsewhere = ALB | {"auth_signer": "arn:aws-cn:elasticloadbalancing:cn-north-1:123456789012:loadbalancer/app/a/b"}
    with pytest.raises(SettingsError, match="--auth-keys"):
        load_settings(identity=["proxy"], **elsewhere)
    assert load_settings(identity=["proxy"], auth_keys="https://keys.example", **elsewhere)
    assert {kind.value for kind in AssertionKind} == {"cloudflare", "google-iap", "aws-alb"}
