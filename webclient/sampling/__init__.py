"""Sampling: everything between a server's request for a model's message and the answer.

Exports `Samplings`: the person edits the request, sends it to a model, stops it, edits the message that came, or runs
it again; the answer itself goes to `Inbox.answer` like every other.

Promises: no model runs without the person's click, a turn that they approved in advance, or their rule for that server.
No message goes to a server unseen unless the rule says so. The limits of the rule hold for every use of a model. A
model stops at once when its request is withdrawn, expires, or is answered otherwise. A restart falls back to the
person. Only sampling requests are ever touched: nothing is accepted for a person anywhere else.
"""

from webclient.sampling.samplings import Samplings

__all__ = ["Samplings"]
