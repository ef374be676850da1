"""Forms that ask for credentials, and texts that are some (point 11)."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.forms.filling import form_of
from tests.tables import each_row
from webclient.content.forms.secrets import DOTS, asks_for_secret, concealed, typed_secrets
from webclient.content.secrets.credentials import looks_secret

DATA = Path(__file__).parent / "data"
TEXT = {"type": "string"}
HEADER = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")

SECRETS = (DATA / "names-of-secrets.txt").read_text("utf-8").split()
OTHERS = (DATA / "names-of-other-things.txt").read_text("utf-8").split()


@each_row("name", SECRETS)
def test_point_11_a_field_for_a_credential_is_recognised(name: str) -> None:
    assert list(asks_for_secret(form_of(**{name: TEXT}))) == [name]
    assert list(asks_for_secret(form_of(x={**TEXT, "title": name}))) == ["x"]


@each_row("name", OTHERS)
def test_point_11_harmless_fields_get_no_warning(name: str) -> None:
    assert asks_for_secret(form_of(**{name: TEXT})) == {}


def test_point_11_a_pin_code_in_an_address_is_a_postal_one() -> None:
    assert list(asks_for_secret(form_of(pin_code=TEXT, amount=TEXT))) == ["pin_code"]
    assert asks_for_secret(form_of(street=TEXT, city=TEXT, pin_code=TEXT)) == {}
    assert list(asks_for_secret(form_of(city=TEXT, pin_code=TEXT, password=TEXT))) == ["password"]


@each_row(
    "said",
    [
        "Enter your GitHub password",
        "Please paste the API key you got by mail.",
        "Please provide your one-time code",
        "To go on, type the token for the build server.",
        "请输入您的密码以继续",
        "请填写 API 密钥。",
        "Enter the 6-digit code we texted you",
        "What is your mother's maiden name?",
        "Your login password is needed",
        "Enter the code from your authenticator app",
        "Please enter your password to confirm",
        "Enter the verification code sent to your phone",
        "Sign in with your API key",
        "请输入短信验证码",
        "需要填写您的银行卡号和密码",
    ],
)
def test_point_11_running_text_that_asks_for_a_secret_is_found(said: str) -> None:
    assert list(asks_for_secret(form_of(x={**TEXT, "description": said}))) == ["x"]
    assert list(asks_for_secret(form_of(x=TEXT), said)) == [""]


@each_row(
    "said",
    [
        "Never enter your password here.",
        "Used to reset your password.",
        "How many tokens to use",
        "The number of tokens.",
        "Enter the token count",
        "We will send you a link to change your password",
        "请勿输入密码",
        "令牌数量上限",
        "Enter the 5-digit code of the product",
        "Enter the booking code we sent you",
        "Enter the path to your private key file",
        "Enter the name of the secret to read",
        "Your password has expired; contact support.",
        "No password is needed",
        "Share your opinion on password managers",
        "请输入接收验证码的邮箱",
        "忘记密码请填写邮箱",
        "请勿输入卡号",
    ],
)
def test_point_11_running_text_that_only_mentions_one_is_not(said: str) -> None:
    assert asks_for_secret(form_of(x={**TEXT, "description": said}), said) == {}


@pytest.mark.parametrize(("title", "asks"), [("6-digit code", True), ("Licence key", True), ("5-digit code", False)])
def test_point_11_a_title_alone_can_be_that_of_a_credential(title: str, asks: bool) -> None:
    assert bool(asks_for_secret(form_of(x={**TEXT, "title": title}))) is asks


def test_point_11_a_message_adds_nothing_where_a_field_says_it() -> None:
    form = form_of(password=TEXT, note=TEXT)
    assert list(asks_for_secret(form, "Enter your password")) == ["password"]


def test_point_11_only_fields_to_type_into_count() -> None:
    assert asks_for_secret(form_of(password={"type": "boolean"}, token={"enum": ["a", "b"]})) == {}
    assert list(asks_for_secret(form_of(x={**TEXT, "format": "password"}))) == ["x"]


@each_row(
    "value",
    [
        "sk-ant-" + "a1" * 20,
        "my key: ghp_" + "a" * 36,
        "AKIAIOSFODNN7EXAMPLE",
        "EAAC" + "a1B2" * 30,
        "xoxb-12345678901234",
        "-----BEGIN RSA PRIVATE KEY-----\nMII",
        f"{HEADER}.eyJzdWIiOiIxIn0.c2ln",
        "4111 1111 1111 1111",
        "card 5500-0055-5555-5559, thanks",
        378282246310005,
        "4111 1111 1111 1111 12/28",
        "6222 0212 3456 7890 128",
        "postgres://ada:hunter2@db.example.com/app",
        "Authorization: Bearer 0123456789abcdef0123456789",
        "PuTTY-User-Key-File-3: ssh-ed25519",
        "github_pat_11ABCDEFG0" + "a1B2" * 15,
        "AIzaSyD" + "a1B2" * 8,
        "glpat-" + "a1B2" * 5,
        "sk_live_" + "a1B2" * 6,
        "hvs." + "a1B2" * 8,
        "dckr_pat_" + "a1B2" * 7,
        f"{HEADER}..AxY8DCtDaGlsbGljb3RoZQ.KDlTtXch.U0m_YmjN04DJ",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        "４２４２\u3000４２４２\u3000４２４２\u3000４２４２",
    ],
)
def test_point_11_a_typed_credential_is_recognised(value: object) -> None:
    assert looks_secret(value)
    assert list(typed_secrets({"x": value, "y": [value], "z": "fine"})) == ["x", "y"]


@each_row(
    "value",
    [
        *["hello", "4111 1111 1111 1112", "2026-12-24", "1234567890123", "sk-8", "eyJhbGciOi.x.y", "3.14159265358979"],
        *[
            "sk-learn-tutorial-for-beginners",
            "356938035643809",
            "4006381333931",
            "419283749182374912",
            "http://a:80/@b",
        ],
        *["123e4567-e89b-12d3-a456-426614174000", "978-3-16-148410-0", "112-1234567-1234567", "+86 138 0013 8000"],
        *["DE89370400440532013000", "1700000000000", "-----BEGIN PUBLIC KEY-----", "hf_dataset_name", "9" * 30],
        *[
            "https://example.com/order?id=4242424242424242",
            "secret_santa_list_2024",
            "d41d8cd98f00b204e9800998ecf8427e",
        ],
        *["7f3a-4111-1111-1111-1111", "Bearer of good news and long stories", "https://ada@example.com", "4111.1111"],
        *["eyJxxxxxx.eyJyyyyyy.z", "+49 170 1234567", "https://example.com/a.b.c", 9007199254740993, 12, True, None],
    ],
)
def test_point_11_an_ordinary_value_is_not(value: object) -> None:
    assert looks_secret(value) is None


def test_point_11_what_the_server_suggested_is_nobodys_secret() -> None:
    form = form_of(card={**TEXT, "default": "4111 1111 1111 1111"}, key={"enum": ["AKIAIOSFODNN7EXAMPLE", "b"]})
    content = {"card": "4111 1111 1111 1111", "key": "AKIAIOSFODNN7EXAMPLE"}
    assert typed_secrets(content, form) == {}
    assert list(typed_secrets({**content, "card": "5500 0055 5555 5559"}, form)) == ["card"]


def test_point_11_what_may_be_a_secret_is_hidden_once_it_is_sent() -> None:
    form = form_of(password=TEXT, note=TEXT, words={"type": "array", "items": TEXT}, sure={"type": "boolean"})
    content = {"password": "hunter2", "note": "fine", "words": ["a", "ghp_" + "a1" * 18], "sure": True}
    assert concealed(form, content) == {**content, "password": DOTS, "words": DOTS}
    assert concealed(form, {"note": "4111 1111 1111 1111", "more": "sk-ant-" + "a1" * 20}) == {
        "note": DOTS,
        "more": DOTS,
    }


def test_point_11_a_message_alone_makes_every_text_suspect() -> None:
    form = form_of(x=TEXT, sure={"type": "boolean"})
    assert concealed(form, {"x": "abc", "sure": True}, "Enter your password") == {"x": DOTS, "sure": True}
    assert concealed(form, {"x": "abc", "sure": True}, "Your name?") == {"x": "abc", "sure": True}


def test_point_11_what_only_has_the_shape_of_a_token_is_none() -> None:
    said = base64.urlsafe_b64encode(b'{"page": 12345}').decode().rstrip("=")
    assert looks_secret(f"{said}.{said}.signature") is None
    assert looks_secret(f"{HEADER}.{said}.signature") is not None
