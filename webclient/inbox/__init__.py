"""What servers ask and what people answer, in one place, with one winner."""

from webclient.inbox.admission import Admission
from webclient.inbox.deadlines import Deadlines, Lengths
from webclient.inbox.inbox import Inbox
from webclient.inbox.links import link_of, links_of
from webclient.inbox.outcome import answer_of, describe
from webclient.inbox.policy import RefusedError

__all__ = ["Admission", "Deadlines", "Inbox", "Lengths", "RefusedError", "answer_of", "describe", "link_of", "links_of"]
