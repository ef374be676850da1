"""The provider's answers: whose claims are believed, and each fault that ends a sign-in."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from gzip import compress
from json import dumps
from pathlib import Path
from time import time
from typing import Any

import httpx2
import pytest

from tests.oidc_provider.fake import CLIENT_ID, SECRET, FakeProvider, new_key, oidc_settings
from webclient.auth.oidc_provider import Refusal, RefusedError, open_provider
from webclient.auth.oidc_provider.bounded import LARGEST
from webclient.auth.oidc_provider.provider import Provider
from webclient.auth.oidc_provider.provider_tokens import LoggedOut, half_hash
from webclient.auth.oidc_provider.steps import Begun, Finished
from webclient.domain.model import Json, Role
from webclient.support.log_lines import forget_lines

pytestmark = pytest.mark.anyio

REDIRECT_URI = "http://127.0.0.1:8765/auth/callback"

Make = Callable[..., Provider]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(fake: FakeProvider, **values: Any) -> Provider:
        return Provider(oidc_settings(tmp_path, fake, **values), fake.transport)

    return made


async def signed_in(provider: Provider, fake: FakeProvider, **changed: str | None) -> Finished:
    """Sign in at the provider."""
    begun: Begun = await provider.begin(REDIRECT_URI, "/calls")
    return await provider.finish(fake.authorize(begun.url, **changed), begun.flow)


async def refusal(provider: Provider, fake: FakeProvider, **changed: str | None) -> Refusal:
    """Return why a sign-in is refused; it must say where the person wanted to go."""
    with pytest.raises(RefusedError) as error:
        await signed_in(provider, fake, **changed)
    assert error.value.page == "/calls"
    assert error.value.sentence("id.example.com")
    return error.value.refusal


async def test_the_claims_of_the_token_name_the_person(make: Make) -> None:
    fake = FakeProvider()
    finished = await signed_in(make(fake), fake)
    person = finished.person
    assert (person.subject, person.name, person.email, person.role) == ("ada", "Ada", "ada@corp.example", Role.USER)
    assert (finished.page, finished.provider_session) == ("/calls", "s1")
    assert fake.authorization.startswith("Basic ")
    assert fake.fetched("/userinfo") == 0


async def test_a_public_client_sends_no_secret(make: Make) -> None:
    fake = FakeProvider(secret=None)
    await signed_in(make(fake), fake)
    assert fake.authorization == ""
    assert dict(fake.requests)["/token"]["client_id"] == CLIENT_ID


async def test_a_provider_may_take_the_secret_in_the_form(make: Make) -> None:
    fake = FakeProvider(metadata={"token_endpoint_auth_methods_supported": ["client_secret_post"]})
    await signed_in(make(fake), fake)
    assert dict(fake.requests)["/token"]["client_secret"] == SECRET


async def test_claims_beside_the_token_are_fetched(make: Make) -> None:
    fake = FakeProvider(claims={"name": None, "groups": None}, userinfo={"name": "Ada L.", "groups": ["boss"]})
    person = (await signed_in(make(fake, oidc_admin_groups=["boss"]), fake)).person
    assert (person.name, person.role) == ("Ada L.", Role.ADMIN)


@pytest.mark.parametrize(
    "lifetime", [{"expires_in": 60}, {"expires_in": 30}, {"expires_in": "30"}, {"expires_in": 0}, {}, {"expires_at": 0}]
)
async def test_a_short_lived_access_token_reads_claims(make: Make, lifetime: dict[str, Any]) -> None:
    fake = FakeProvider(claims={"name": None, "groups": None}, userinfo={"name": "Ada L."}, lifetime=lifetime)
    assert (await signed_in(make(fake), fake)).person.name == "Ada L."


@pytest.mark.parametrize("subject", ["\ud800", "a\x00b", "a" * 256, ""])
async def test_a_subject_that_cannot_be_stored_is_refused(make: Make, subject: str) -> None:
    fake = FakeProvider(claims={"sub": subject})
    assert await refusal(make(fake), fake) == Refusal.UNUSABLE


async def test_a_session_name_that_cannot_be_stored_is_left_out(make: Make) -> None:
    fake = FakeProvider(claims={"sid": "\ud800"})
    assert (await signed_in(make(fake), fake)).provider_session is None


async def test_forged_logout_tokens_write_one_line(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    fake = FakeProvider()
    provider = make(fake)
    forget_lines()
    for number in range(50):
        with pytest.raises(RefusedError):
            await provider.verify_logout(f"forged.{number}.token")
    assert len(caplog.records) == 1


async def test_claims_of_another_subject_are_refused(make: Make) -> None:
    fake = FakeProvider(claims={"groups": None}, userinfo={"sub": "bob"})
    assert await refusal(make(fake), fake) == Refusal.UNUSABLE


OTHER = "https://other.example"

# The rules of OpenID Connect Core 1.0, section 3.1.3.7, by their numbers. Times are a day off, because a test may run
# long after it was collected.
WRONG: dict[str, tuple[Json, str]] = {
    "2 issuer": ({"iss": OTHER}, "wrong_issuer"),
    "2 no issuer": ({"iss": None}, "missing_claim iss"),
    "3 other audience": ({"aud": "other"}, "wrong_audience"),
    "3 other audience, made for us": ({"aud": ["other"], "azp": CLIENT_ID}, "wrong_audience"),
    "3 no audience": ({"aud": None}, "missing_claim aud"),
    "4 several audiences, no client": ({"aud": [CLIENT_ID, "other"]}, "missing_claim azp"),
    "5 several audiences, another client": ({"aud": [CLIENT_ID, "other"], "azp": "other"}, "wrong_claim azp"),
    "5 another client": ({"azp": "other"}, "wrong_claim azp"),
    "9 ended": ({"exp": int(time()) - 120}, "expired"),
    "9 no end": ({"exp": None}, "missing_claim exp"),
    "10 from the future": ({"iat": int(time()) + 86_400}, "not_yet_valid"),
    "10 no time": ({"iat": None}, "missing_claim iat"),
    "11 other nonce": ({"nonce": "another"}, "wrong_claim nonce"),
    "11 no nonce": ({"nonce": None}, "missing_claim nonce"),
    "3.1.3.8 hash of another token": ({"at_hash": "AAAA"}, "wrong_claim at_hash"),
    "no subject": ({"sub": None}, "missing_claim sub"),
}


@pytest.mark.parametrize(("claims", "why"), WRONG.values(), ids=WRONG.keys())
async def test_an_id_token_with_a_wrong_claim_is_refused(
    make: Make, caplog: pytest.LogCaptureFixture, claims: Json, why: str
) -> None:
    fake = FakeProvider(claims=claims)
    forget_lines()
    assert await refusal(make(fake), fake) == Refusal.UNUSABLE
    assert caplog.messages[-1].endswith(f": {why}")


@pytest.mark.parametrize(
    "claims", [{"azp": CLIENT_ID}, {"aud": [CLIENT_ID]}, {"aud": [CLIENT_ID, "x"], "azp": CLIENT_ID}]
)
async def test_an_id_token_made_for_us_is_taken(make: Make, claims: Json) -> None:
    fake = FakeProvider(claims=claims)
    assert (await signed_in(make(fake), fake)).person.subject == "ada"


@pytest.mark.parametrize(
    ("algorithm", "expected"),
    # By `openssl dgst` of the access token "a".
    [
        ("RS256", "ypeBEsobvcr6wjGzmiPcTQ"),
        ("ES384", "VKWbnyKwuAiA2EJ-VIt8I6vYc0huHwNd"),
        ("PS512", "H0D8ktokFpR1CXnubPWC8tXX0o4YM13gWrxU0FYOD1M"),
        ("EdDSA", "H0D8ktokFpR1CXnubPWC8tXX0o4YM13gWrxU0FYOD1M"),
        ("Ed25519", "H0D8ktokFpR1CXnubPWC8tXX0o4YM13gWrxU0FYOD1M"),
    ],
)
async def test_an_access_token_has_the_hash_of_its_algorithm(make: Make, algorithm: str, expected: str) -> None:
    assert half_hash("a", algorithm) == expected
    if algorithm == "RS256":
        fake = FakeProvider(claims={"at_hash": expected})
        assert await signed_in(make(fake), fake)


async def test_an_algorithm_that_is_not_announced_is_refused(make: Make) -> None:
    """Point 7: the provider announces RS256 alone, or nothing, which means the same."""
    for announced in (["RS256"], None):
        fake = FakeProvider(algorithm="PS256", metadata={"id_token_signing_alg_values_supported": announced})
        assert await refusal(make(fake), fake) == Refusal.UNUSABLE
        assert fake.fetched("/keys") == 0


async def test_clocks_may_differ_by_less_than_a_minute(make: Make) -> None:
    now = int(time())
    fake = FakeProvider(claims={"iat": now + 40, "exp": now + 300})
    assert await signed_in(make(fake), fake)
    fake.claims = {"exp": now - 20}
    assert await signed_in(make(fake), fake)


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
async def test_an_id_token_without_a_published_key_is_refused(make: Make, algorithm: str) -> None:
    """The provider announces both algorithms, and signs with the client secret, which it knows."""
    fake = FakeProvider(algorithm=algorithm)
    if algorithm == "HS256":
        fake.published, fake.key = fake.key, SECRET.ljust(32)
    assert await refusal(make(fake), fake) == Refusal.UNUSABLE


async def test_an_id_token_of_another_key_is_refused(make: Make) -> None:
    fake = FakeProvider(published=new_key())
    assert await refusal(make(fake), fake) == Refusal.UNUSABLE


async def test_keys_that_were_rotated_are_fetched_again(make: Make) -> None:
    fake = FakeProvider()
    provider = make(fake)
    await signed_in(provider, fake)
    await signed_in(provider, fake)
    assert fake.fetched("/keys") == 1
    fake.rotate()
    await signed_in(provider, fake)
    assert fake.fetched("/keys") == 2


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (httpx2.ConnectError("down"), Refusal.UNREACHABLE),
        (httpx2.ReadTimeout("slow"), Refusal.UNREACHABLE),
        (httpx2.Response(503), Refusal.UNREACHABLE),
        (httpx2.Response(200, content=b"<html>"), Refusal.UNUSABLE),
        (httpx2.Response(200, content=b"[]"), Refusal.UNUSABLE),
        (httpx2.Response(200, content=b"[" * 100_000), Refusal.UNUSABLE),
        (httpx2.Response(200, content=b"{}"), Refusal.UNUSABLE),
        (httpx2.Response(200, content=b" " * (LARGEST + 1)), Refusal.UNUSABLE),
        (httpx2.Response(200, content=compress(b"{}"), headers={"content-encoding": "gzip"}), Refusal.UNUSABLE),
    ],
)
@pytest.mark.parametrize("when", ["at the begin", "at the end"])
async def test_a_provider_in_trouble_refuses(make: Make, broken: Any, expected: Refusal, when: str) -> None:
    fake = FakeProvider()
    provider, begun, answer = make(fake), None, {}
    if when == "at the end":
        begun = await provider.begin(REDIRECT_URI, "/calls")
        answer = fake.authorize(begun.url)
    fake.broken = broken
    with pytest.raises(RefusedError) as error:
        await (provider.finish(answer, begun.flow) if begun else provider.begin(REDIRECT_URI, "/calls"))
    # An answer without a token is one of the provider's refusals.
    assert error.value.refusal in (expected, Refusal.PROVIDER_ERROR)
    fake.broken = None
    assert await signed_in(provider, fake)


@pytest.mark.parametrize(
    "metadata",
    [{"issuer": "https://other.example"}, {"token_endpoint": "http://id.example.com/token"}, {"jwks_uri": None}],
    ids=str,
)
async def test_an_unusable_description_is_refused(make: Make, metadata: dict[str, Any]) -> None:
    fake = FakeProvider(metadata=metadata)
    assert await refusal(make(fake), fake) == Refusal.UNUSABLE


@pytest.mark.parametrize(
    ("claims", "is_allowed"),
    [
        ({}, True),
        ({"email": "ada@CORP.example"}, True),
        ({"email_verified": False}, False),
        ({"email_verified": None}, False),
        ({"email": "ada@corp.example.evil.example"}, False),
        ({"email": "ada@evilcorp.example"}, False),
        ({"email": "corp.example"}, False),
        # Cut or cleaned, these would be allowed.
        ({"email": "ada@corp.example\u200b.evil.example"}, False),
        ({"email": "ada@corp.\u200bexample"}, False),
        ({"email": f"{'a' * 187}@corp.example.evil.example"}, False),
        ({"email": f"{'a' * 241}@corp.example.evil.example"}, False),
    ],
    ids=str,
)
async def test_only_verified_addresses_of_a_domain_are_allowed(
    make: Make, claims: dict[str, Any], is_allowed: bool
) -> None:
    fake = FakeProvider(claims=claims)
    provider = make(fake, oidc_allowed_domains=["corp.example"])
    if is_allowed:
        assert await signed_in(provider, fake)
    else:
        assert await refusal(provider, fake) == Refusal.NOT_ALLOWED


async def test_an_address_is_verified_by_the_document_that_has_it(make: Make) -> None:
    """Claims of the ID token and of userinfo are merged, but not two addresses."""
    verified = {"email": "ada@corp.example", "email_verified": True}
    for other, email in ((verified, "ada@corp.example"), (verified | {"email": "eve@evil.example"}, "")):
        fake = FakeProvider(claims={"email": "ada@corp.example", "email_verified": None}, userinfo=other)
        assert (await signed_in(make(fake), fake)).person.email == email
    fake = FakeProvider(claims={"email": None, "email_verified": None}, userinfo=verified)
    assert (await signed_in(make(fake), fake)).person.email == "ada@corp.example"


async def test_both_lists_must_allow_a_person(make: Make) -> None:
    fake = FakeProvider(claims={"groups": ["staff"]})
    lists = {"oidc_allowed_groups": ["staff"], "oidc_allowed_domains": ["other.example"]}
    assert await refusal(make(fake, **lists), fake) == Refusal.NOT_ALLOWED


@pytest.mark.parametrize(
    ("claim", "claims"),
    [
        ("groups", {"groups": ["boss"]}),
        ("groups", {"groups": "boss"}),
        ("realm_access.roles", {"realm_access": {"roles": ["boss"]}}),
        ("https://corp.example/roles", {"https://corp.example/roles": ["boss"]}),
    ],
)
async def test_roles_come_from_the_claim_of_the_settings(make: Make, claim: str, claims: dict[str, Any]) -> None:
    fake = FakeProvider(claims=claims)
    provider = make(fake, oidc_roles_claim=claim, oidc_admin_groups=["boss"])
    assert (await signed_in(provider, fake)).person.role is Role.ADMIN


@pytest.mark.parametrize("groups", [{"a": 1}, 7, [["boss"], {"boss": 1}], "bosses", None], ids=str)
async def test_other_claims_give_no_role(make: Make, groups: Any) -> None:
    fake = FakeProvider(claims={"groups": groups})
    person = (await signed_in(make(fake, oidc_admin_groups=["boss"]), fake)).person
    assert person.role is Role.USER


# Another account


@pytest.mark.parametrize(
    ("announced", "prompt"),
    [(["login", "select_account"], "select_account"), (["none", "login"], "login"), (None, "login"), (7, "login")],
    ids=str,
)
async def test_another_account_can_be_chosen(make: Make, announced: Any, prompt: str) -> None:
    provider = make(FakeProvider(metadata={"prompt_values_supported": announced}))
    assert f"prompt={prompt}&" in (await provider.begin(REDIRECT_URI, "/", again=True)).url
    assert "prompt=" not in (await provider.begin(REDIRECT_URI, "/")).url


# Logout tokens


async def logged_out(provider: Provider, token: str) -> LoggedOut:
    """Verify a logout token."""
    return await provider.verify_logout(token)


async def test_a_logout_token_names_whom_it_ends(make: Make) -> None:
    fake = FakeProvider()
    found = await logged_out(make(fake), fake.logout_token(sid="s1", jti="once"))
    assert (found.subject, found.provider_session, found.token_id) == ("ada", "s1", "once")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"aud": "other"},
        {"iat": int(time()) - 86_400},
        {"iat": int(time()) + 86_400},
        {"iat": None},
        {"iat": -1e300},
        {"exp": int(time()) - 120},
        {"jti": None},
        {"jti": "x" * 300},
        {"events": None},
        {"events": {"http://schemas.openid.net/event/other": {}}},
        {"events": {"http://schemas.openid.net/event/backchannel-logout": 1}},
        {"nonce": "n"},
        {"sub": None},
        {"sub": 7},
        {"headers": {"typ": "at+jwt"}},
    ],
    ids=" ".join,
)
async def test_a_wrong_logout_token_is_refused(make: Make, claims: dict[str, Any]) -> None:
    fake = FakeProvider()
    with pytest.raises(RefusedError):
        await logged_out(make(fake), fake.logout_token(**claims))


@pytest.mark.parametrize("token", ["", "a.b.c", "x" * 10_000, "eyJhbGciOiJub25lIn0.e30."])
async def test_nonsense_is_not_a_logout_token(make: Make, token: str) -> None:
    with pytest.raises(RefusedError):
        await logged_out(make(FakeProvider()), token)


async def test_an_id_token_is_not_a_logout_token(make: Make) -> None:
    fake = FakeProvider()
    provider = make(fake)
    finished = await signed_in(provider, fake)
    with pytest.raises(RefusedError):
        await logged_out(provider, finished.id_token)


async def test_a_token_of_another_algorithm_fetches_no_keys(make: Make) -> None:
    fake = FakeProvider()
    for algorithm in ("HS256", "none", None, ["RS256"]):
        header, _dot, rest = fake.logout_token().partition(".")
        header = urlsafe_b64encode(dumps({"alg": algorithm, "kid": "unknown"}).encode()).decode().rstrip("=")
        with pytest.raises(RefusedError):
            await logged_out(make(fake), f"{header}.{rest}")
    assert fake.fetched("/keys") == 0


async def test_tokens_of_unknown_keys_fetch_keys_once(make: Make) -> None:
    fake = FakeProvider()
    provider = make(fake)
    await logged_out(provider, fake.logout_token())
    fake.rotate()
    assert await logged_out(provider, fake.logout_token())
    stranger = FakeProvider(key=new_key(), key_id="unknown")
    for _each in range(5):
        with pytest.raises(RefusedError):
            await logged_out(provider, stranger.logout_token())
    assert fake.fetched("/keys") == 2


async def test_without_the_extra_the_program_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(__import__("sys").modules, "webclient.auth.oidc_provider.provider")
    monkeypatch.setitem(__import__("sys").modules, "authlib", None)
    monkeypatch.setitem(__import__("sys").modules, "authlib.common.errors", None)
    with pytest.raises(Exception, match=r"mcp-webclient\[oidc\]"):
        open_provider(oidc_settings(tmp_path, FakeProvider()))
