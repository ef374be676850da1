"""What servers ask and what people answer, in one place, with one winner."""

from webclient.inbox.inbox import Inbox
from webclient.inbox.links import link_of, links_of
from webclient.inbox.outcome import describe

__all__ = ["Inbox", "describe", "link_of", "links_of"]
