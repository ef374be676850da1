"""Wanted sign-ins in the inbox."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.store.rows import a_request, listed
from webclient.domain.model import Auth, PendingSignIn, Server, now
from webclient.web.pages.inbox.inbox_entries import entries_of
from webclient.web.pages.inbox.sign_in_cards import SignInCard, card_of, changed_entries, sign_in_entries

URL = "https://auth.example.com/authorize?state=secret&redirect_uri=http%3A%2F%2F127.0.0.1%2Foauth%2Fcallback"


def a_card(server_id: str = "s1", **fields: object) -> SignInCard:
    server = Server(
        id=server_id, user_id="ada", label="Files", transport={"type": "http", "url": "https://mcp.test/mcp"}
    )
    values: dict[str, object] = {
        "user_id": "ada",
        "server_id": server_id,
        "issuer": "https://auth.example.com",
        "authorization_url": URL,
        "state_hash": "h",
        "expires_at": now() + timedelta(hours=1),
    }
    return SignInCard(server=server, sign_in=PendingSignIn(**(values | fields)))  # type: ignore[arg-type]


def test_the_address_of_a_card_has_no_query() -> None:
    link = a_card().link
    assert link.href == "https://auth.example.com/authorize"
    assert {finding.code for finding in link.findings} == {"host-differs-from-server"}


def test_an_address_that_no_browser_should_open_is_blocked() -> None:
    assert a_card(authorization_url="javascript:alert(1)").link.blocked


def test_only_a_sign_in_for_more_access_marks_what_is_new() -> None:
    first = a_card(scopes=("a", "b"), new_scopes=("a", "b"))
    assert [line.is_new for line in first.scopes] == [False, False]
    more = a_card(scopes=("a", "b"), new_scopes=("b",))
    assert [(line.name, line.is_new) for line in more.scopes] == [("b", True), ("a", False)]


def test_sign_ins_stand_before_questions_and_the_oldest_first() -> None:
    old, new = a_card("s1", created_at=now() - timedelta(hours=1)), a_card("s2")
    entries = sign_in_entries([new, None, old])
    [request] = entries_of([listed(replace(a_request(), expires_at=now()))])
    assert [entry.server_id for entry in entries] == ["s1", "s2"]
    assert all(entry.place < request.place for entry in entries)


def test_the_inbox_of_one_server_has_its_sign_in_only() -> None:
    assert [entry.server_id for entry in sign_in_entries([a_card("s1"), a_card("s2")], "s2")] == ["s2"]


def test_an_entry_leaves_with_its_sign_in() -> None:
    gone, wanted = sorted(changed_entries([a_card("s2")], {"s1", "s2"}), key=lambda entry: entry.server_id)
    assert (gone.server_id, gone.section, wanted.section) == ("s1", "gone", "waiting")
    assert 'data-section="gone"' in gone.rendered("")


def test_a_server_without_a_wanted_sign_in_has_no_card() -> None:
    assert card_of(a_card().server, Auth()) is None
