"""A principal administers, asks and is known to others by what it is, and by nothing that it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webclient.auth import Principal, PrincipalKind, Scope, scopes_of, user_principal
from webclient.auth.principal import Embedding
from webclient.domain.model import EVERYONE, LOCAL_ISSUER, Role, User

ADMIN = frozenset({Scope.READ, Scope.ADMIN})
EMBEDDING = Embedding(name="chat", label="Chat", origin="https://chat.example", granted=frozenset())


def program(**fields: object) -> Principal:
    """Return a program of Ada's."""
    values: dict[str, object] = {"user_id": "ada", "kind": PrincipalKind.PROGRAM, "scopes": ADMIN, "way": "token"}
    return Principal(**(values | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("role", "scopes", "expected"),
    [
        (Role.ADMIN, ADMIN, True),
        (Role.USER, ADMIN, False),
        (Role.ADMIN, frozenset({Scope.READ}), False),
    ],
)
def test_administering_needs_the_role_and_the_scope(role: Role, scopes: frozenset[Scope], *, expected: bool) -> None:
    assert program(role=role, scopes=scopes).is_admin is expected


def test_a_program_asks_its_user_and_those_opened_to_it() -> None:
    for may_ask, expected in ((frozenset[str](), "ada"), (frozenset({"bob"}), "ada bob"), ({EVERYONE}, "ada bob eve")):
        found = [each for each in ("ada", "bob", "eve") if program(may_ask=may_ask).may_ask_user(each)]
        assert found == expected.split()


def test_each_application_asks_under_an_id_of_its_own() -> None:
    askers = [program(token_id="t1"), program(token_id="t2"), program(embedding=EMBEDDING), program(way="local")]
    assert [each.asker_id for each in askers] == ["program-t1", "program-t2", "program-embedder-chat", "program-local"]


def test_only_an_administrator_has_the_scope_for_it() -> None:
    user = User(id="ada", issuer="proxy", subject="ada", name="Ada")
    administrator = User(id="eve", issuer="proxy", subject="eve", role=Role.ADMIN)
    assert scopes_of(user) == {Scope.ASK, Scope.READ, Scope.ANSWER, Scope.GATEWAY}
    assert scopes_of(administrator) == set(Scope)
    principal = user_principal(user, "cookie", session_id="the secret of a cookie")
    assert (principal.kind, principal.name, principal.is_admin) == (PrincipalKind.USER, "Ada", False)
    assert "secret" not in repr(principal)
    # A user without a name is shown by the subject.
    assert user_principal(administrator, "cookie").name == "eve"
    assert user_principal(replace(administrator, issuer=LOCAL_ISSUER), "cookie").name is None
    assert user_principal(administrator, "cookie").is_admin
