"""Program answers: tell a program how its question ended, by a signed webhook to the address that it named.

Promises: a webhook is sent once its question is settled, answered or not, and again after failures until its
receiver has taken it or is given up; a restart forgets none. It has the answer, but no value that may be secret: the
program fetches these with its token. A program whose token was revoked gets nothing more.
"""

from webclient.inbox.program_answers.answer_webhooks import AnswerWebhooks, TooManyWebhooksError, message_of

__all__ = ["AnswerWebhooks", "TooManyWebhooksError", "message_of"]
