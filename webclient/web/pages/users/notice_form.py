"""The form of a person's notification settings: what is typed into it, and the settings that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import time, timedelta, tzinfo
from urllib.parse import urlsplit

from webclient.domain.i18n import gettext as _
from webclient.domain.model import NoticeSettings, QuietHours
from webclient.domain.time_zones import read_zone
from webclient.network import Fault, NotHttpsError, check_url
from webclient.web.pages.posted_form import Posted, first

LEAST_WAIT, MOST_WAIT = 1, 86_400
LONGEST_URL = 2000
QUIET = ("begin", "end", "zone")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeForm:
    """The texts of the form by control, the `settings` that they make, and sentences on what is wrong by control."""

    texts: Mapping[str, str]
    settings: NoticeSettings
    errors: Mapping[str, str] = field(default_factory=dict)


def form_of_settings(settings: NoticeSettings, zone: tzinfo) -> NoticeForm:
    """Return the form of stored settings; `zone` is suggested for the first quiet hours."""
    quiet = settings.quiet.to_json() if settings.quiet else {"begin": "22:00", "end": "07:00", "zone": str(zone)}
    texts = {**quiet, "wait": str(int(settings.wait.total_seconds())), "quiet": "on" if settings.quiet else ""}
    return NoticeForm(texts=texts, settings=settings)


def read_settings(posted: Posted, settings: NoticeSettings) -> NoticeForm:
    """Read the posted form over the stored settings."""
    texts = {name: first(posted, name).strip() for name in ("wait", "quiet", *QUIET)}
    errors: dict[str, str] = {}
    wait = texts["wait"]
    seconds = int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 9 else 0
    if not LEAST_WAIT <= seconds <= MOST_WAIT:
        errors["wait"] = _("Enter a whole number from {least} to {most}.").format(least=LEAST_WAIT, most=MOST_WAIT)
    quiet = _quiet_hours(texts, errors) if texts["quiet"] else None
    if errors:
        return NoticeForm(texts=texts, settings=settings, errors=errors)
    return NoticeForm(texts=texts, settings=replace(settings, wait=timedelta(seconds=seconds), quiet=quiet))


def _quiet_hours(texts: Mapping[str, str], errors: dict[str, str]) -> QuietHours | None:
    moments = {name: _time(texts[name]) for name in ("begin", "end")}
    for name, moment in moments.items():
        if moment is None:
            errors[name] = _("Enter a time such as 22:00.")
    begin, end = moments["begin"], moments["end"]
    if begin is not None and begin == end:
        errors["end"] = _("Quiet hours must end at another time than they begin.")
    if read_zone(texts["zone"]) is None:
        errors["zone"] = _("Enter a time zone such as Europe/Berlin.")
    if errors or begin is None or end is None:
        return None
    return QuietHours(begin=begin, end=end, zone=texts["zone"])


def _time(text: str) -> time | None:
    try:
        return time.fromisoformat(text).replace(second=0, microsecond=0, tzinfo=None)
    except ValueError:
        return None


def read_url(posted: Posted) -> tuple[str, str]:
    """Return the posted address of a webhook, and what is wrong with it, or ""."""
    url = first(posted, "url").strip()
    try:
        check_url(url)
    except NotHttpsError:
        return url, _("Enter an address that begins with https://, without a login in it.")
    return url, _("This address is too long.") if len(url) > LONGEST_URL else ""


def host_of(url: str) -> str:
    """Return the host of an address that was checked; the rest of it may be a secret."""
    return (urlsplit(url).hostname or "")[:253]


def failure_sentence(why: str) -> str:
    """Return the sentence on why a notification did not arrive: an HTTP status, or the code of a fault."""
    known: dict[str, str] = {
        Fault.NOT_HTTPS: _("Its address must begin with https://."),
        Fault.FORBIDDEN_ADDRESS: _(
            "Its address was not found, or is in a private network, to which this program may not send."
        ),
        Fault.TIMEOUT: _("It did not answer in time."),
        Fault.NOTHING_LISTENS: _("Nothing is listening there."),
        Fault.CERTIFICATE_INVALID: _("Its certificate is not trusted."),
        Fault.NO_TLS: _("It does not speak HTTPS."),
        Fault.UNREACHABLE: _("It cannot be reached."),
    }
    return known.get(why) or _("It answered with the HTTP status {status}.").format(status=why)
