"""The gallery of attacks: what each one tries, and what protects the person. No text here comes from the server."""

from __future__ import annotations

from webclient.demo import HOSTILE
from webclient.domain.i18n import gettext as _
from webclient.web.pages.guide.scene import Scene


def attack_scenes() -> tuple[Scene, ...]:
    """Return the attacks in their order: the first of each kind, then the others."""
    links, forms, behaviour = _links(), _forms(), _behaviour()
    return (links[0], forms[0], behaviour[0], *links[1:], *forms[1:], *behaviour[1:])


def _attack(
    tool: str, title: str, attack: str, protection: str, task: str = "", *, ends_when_stopped: bool = False
) -> Scene:
    return Scene(
        key=tool.replace("_", "-"),
        server=HOSTILE,
        tool=tool,
        title=title,
        summary=attack,
        task=task or _("Read the card, then decline."),
        attack=attack,
        protection=protection,
        ends_when_stopped=ends_when_stopped,
    )


def _links() -> tuple[Scene, ...]:
    return (
        _attack(
            "disguised_link",
            _("A link in disguise"),
            _("The address begins with accounts.google.com, but opens evil.example: the part before the @ is a name."),
            _("The address is read as your browser reads it, and the card names the site that would open."),
        ),
        _attack(
            "lookalike_link",
            _("A link with look-alike letters"),
            _("One letter of the address is Cyrillic: it looks like the address of your bank, but is a different one."),
            _("Names that mix alphabets are shown as what they are, with a warning."),
        ),
        _attack(
            "nested_link",
            _("An address inside an address"),
            _("The address contains accounts.google.com, but only in the path on evil.example."),
            _("The site that would open is set apart from the rest, and the address inside is named."),
        ),
        _attack(
            "script_link",
            _("A link that is a program"),
            _("The “address” is a program that would send your cookies to the attacker."),
            _("Only addresses that begin with https or http can be opened: the card has no button to open this one."),
        ),
    )


def _forms() -> tuple[Scene, ...]:
    return (
        _attack(
            "password_form",
            _("A form for your password"),
            _("A form asks for your password and your card number, as if you had to sign in again."),
            _("Servers must not ask for secrets in a form. The card says so, and a typed secret is not sent at once."),
            _("Type any password and press Send answer to see it stopped, then decline."),
        ),
        _attack(
            "thousand_options",
            _("A thousand options"),
            _("A list of a thousand options hides the one that matters and slows the page down."),
            _("Long lists become a field that searches, and the card stays quick."),
        ),
        _attack(
            "slow_pattern",
            _("A pattern that never ends"),
            _("The form has a pattern that most programs would need years to check, so the page would hang."),
            _("Patterns are checked by a method whose time is bounded, so the card answers at once."),
            _("The text in the field was checked before the card appeared. Decline."),
        ),
        _attack(
            "hidden_characters",
            _("Hidden characters"),
            _("Invisible characters reverse the text, so an amount or a name is not what it looks like."),
            _("Invisible characters are written out, so you see what the text really says."),
        ),
        _attack(
            "borrowed_name",
            _("A borrowed name"),
            _("The server says that it is “Demo office (verified)” and asks in its name."),
            _("Each card begins with your own name for the server; the name that it claims is marked as a claim."),
        ),
    )


def _behaviour() -> tuple[Scene, ...]:
    return (
        _attack(
            "second_click",
            _("A trap for the second click"),
            _("Right after a harmless question, the next one asks for 5,000 EUR at the place where you clicked."),
            _("A new card takes no clicks for a moment, and an answer that comes too soon is refused."),
            _("Double-click Approve: the second click answers nothing. Then decline."),
        ),
        _attack(
            "endless_requests",
            _("The same again and again"),
            _("After every no, the server asks the same again, until you give in."),
            _("The card counts how often you declined, and you can mute the server or stop the call."),
            _("Decline twice, then mute the server or stop the call. The next scene unmutes it."),
            ends_when_stopped=True,
        ),
        _attack(
            "flood",
            _("A flood"),
            _("The server asks 300 times at once, so that you give up or miss what matters."),
            _("At most 250 questions of one server wait; the others are refused. One click declines all."),
            _("Press Decline all."),
        ),
    )
