"""A program with a token never has more permissions than its user has at that moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from starlette.requests import HTTPConnection

from webclient.auth import InvalidCredentialError, Principal, Scope, new_token
from webclient.auth.authenticator import LapsedUserError, NoUserError
from webclient.auth.tokens import HINT, PREFIX, NamedUsers, TokensOfPrograms
from webclient.domain.model import Person, ProgramToken, Role, SignInKey, SignInKind, User, now
from webclient.store import Store

pytestmark = pytest.mark.anyio

ADA = User(id="ada", issuer="proxy", subject="ada")
PERIOD = timedelta(days=30)


class SavedTokens:
    """The tokens of programs, as the store gives them with their users."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[ProgramToken, User]] = {}

    async def find(self, secret: str) -> tuple[ProgramToken, User] | None:
        """Return the token and its user."""
        return self.rows.get(secret)


def sent(secret: str, scheme: str = "Bearer") -> HTTPConnection:
    """Return a request with this token."""
    return HTTPConnection({"type": "http", "headers": [(b"authorization", f"{scheme} {secret}".encode())]})


async def identified(
    user: User, *scopes: Scope, may_ask: tuple[str, ...] = (), period: timedelta | None = None
) -> Principal:
    """Return the principal of a token that this user once made."""
    token, secret = new_token(user.id, "Agent", scopes, may_ask)
    saved = SavedTokens()
    saved.rows[secret] = (token, user)
    principal = await TokensOfPrograms(saved, period).identify(sent(secret))
    assert principal is not None
    return principal


async def test_a_token_has_no_more_scopes_than_its_user() -> None:
    scopes = (Scope.READ, Scope.ADMIN)
    assert (await identified(replace(ADA, role=Role.ADMIN), *scopes)).scopes == {Scope.READ, Scope.ADMIN}
    # They made the token while they were an administrator.
    demoted = await identified(ADA, *scopes)
    assert demoted.scopes == {Scope.READ}
    assert not demoted.is_admin


async def test_only_a_token_of_an_administrator_asks_others() -> None:
    administrator = await identified(replace(ADA, role=Role.ADMIN), Scope.ASK, may_ask=("bob",))
    assert administrator.may_ask == {"bob"}
    demoted = await identified(ADA, Scope.ASK, may_ask=("bob",))
    assert demoted.may_ask == frozenset()
    assert [demoted.may_ask_user(each) for each in ("ada", "bob")] == [True, False]


async def test_an_unknown_scope_of_a_token_allows_nothing() -> None:
    token, secret = new_token("ada", "Agent", [Scope.READ])
    saved = SavedTokens()
    saved.rows[secret] = (replace(token, scopes=("read", "invented")), ADA)
    principal = await TokensOfPrograms(saved).identify(sent(secret))
    assert principal
    assert principal.scopes == {Scope.READ}


async def test_a_token_works_until_its_user_has_lapsed() -> None:
    just_in_time = replace(ADA, signed_in_at=now() - PERIOD + timedelta(minutes=5))
    principal = await identified(just_in_time, Scope.READ, period=PERIOD)
    assert principal.ends_at == (just_in_time.signed_in_at or now()) + PERIOD
    assert (await identified(replace(ADA, signed_in_at=now() - PERIOD * 9), Scope.READ)).ends_at is None
    with pytest.raises(LapsedUserError) as lapsed:
        await identified(replace(ADA, signed_in_at=now() - PERIOD), Scope.READ, period=PERIOD)
    assert lapsed.value.user_id == "ada"


async def test_other_credentials_are_left_to_other_ways() -> None:
    way = TokensOfPrograms(SavedTokens())
    for connection in (sent("another"), sent(f"{PREFIX}x", "Basic"), HTTPConnection({"type": "http", "headers": []})):
        assert await way.identify(connection) is None
    with pytest.raises(InvalidCredentialError) as refused:
        await way.identify(sent(f"{PREFIX}x"))
    assert refused.value.code == "wrong_token"


async def test_the_streams_of_a_program_end_with_its_token() -> None:
    token, secret = new_token("ada", "Agent", [Scope.READ])
    saved = SavedTokens()
    saved.rows[secret] = (token, ADA)
    way = TokensOfPrograms(saved)
    principal = await way.identify(sent(secret))
    assert principal
    assert (principal.way, principal.name, principal.token_id) == ("token", "Agent", token.id)
    assert principal.sign_in == SignInKey(SignInKind.TOKEN, token.id)


async def test_a_new_token_has_each_scope_once_and_a_hint() -> None:
    scopes = [Scope.READ, Scope.ASK, Scope.READ]
    token, secret = new_token("ada", "Agent", scopes, ["bob", "eve", "bob"])
    assert (token.scopes, token.may_ask) == (("ask", "read"), ("bob", "eve"))
    assert secret.startswith(PREFIX)
    assert (len(token.hint), secret.endswith(token.hint)) == (HINT, True)
    # 32 random bytes.
    assert len(secret) - len(PREFIX) == 43
    assert new_token("ada", "Agent", scopes)[1] != secret


ISSUERS = ("https://id.example", "proxy")


async def test_a_user_is_named_by_subject_or_proved_address(store: Store) -> None:
    ada = Person(issuer=ISSUERS[0], subject="a-1", email="ada@corp.example")
    for person in (ada, Person(issuer="proxy", subject="bob"), Person(issuer="host:chat", subject="eve@corp.example")):
        await store.users.recognise(person)
    await store.users.add(Person(issuer="proxy", subject="", email="new@corp.example"))
    named = NamedUsers(store.users, ISSUERS)
    for name, subject in (("a-1", "a-1"), ("Ada@corp.example", "a-1"), ("bob", "bob")):
        assert (await named.find(name)).subject == subject
    for name in ("ada", "eve@corp.example", "new@corp.example", "Bob", "*", ""):
        with pytest.raises(NoUserError, match="No user with this name"):
            await named.find(name)
    await store.users.recognise(Person(issuer="proxy", subject="ada@corp.example"))
    with pytest.raises(NoUserError, match="Several users"):
        await named.find("ada@corp.example")


@pytest.mark.parametrize("lapsed", ["root", "ada"])
async def test_a_token_for_others_ends_with_its_administrator(store: Store, lapsed: str) -> None:
    old = now() - PERIOD - timedelta(days=1)
    ada = await store.users.recognise(Person(issuer="proxy", subject="ada"))
    await store.users.recognise(Person(issuer="proxy", subject="bob"))
    saved = SavedTokens()
    token, secret = new_token("root", "Chat", [Scope.GATEWAY, Scope.READ], user_header="X-User")
    root = User(id="root", issuer="proxy", subject="root", role=Role.ADMIN)
    tokens = TokensOfPrograms(saved, PERIOD, NamedUsers(store.users, ISSUERS))
    request = sent(secret)
    request.scope["headers"].append((b"x-user", b"ada"))
    saved.rows[secret] = token, root
    principal = await tokens.identify(request)
    assert principal
    assert (principal.user_id, principal.scopes) == (ada.id, frozenset({Scope.GATEWAY}))
    saved.rows[secret] = token, replace(root, role=Role.USER)
    with pytest.raises(NoUserError, match="administrator"):
        await tokens.identify(request)
    saved.rows[secret] = token, replace(root, signed_in_at=old) if lapsed == "root" else root
    if lapsed == "ada":
        tokens = TokensOfPrograms(saved, timedelta(0), NamedUsers(store.users, ISSUERS))
        saved.rows[secret] = token, replace(root, issuer="local")
    with pytest.raises((LapsedUserError, NoUserError)):
        await tokens.identify(request)
