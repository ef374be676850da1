"""The skills of a server, to be looked at: listed, read and checked (SEP-2640, final).

Promises: nothing in a skill is run, followed or stored, and a file is read when a person or a program wants that file;
an entry against the rules is not used and says why; the content of a file is given out only if it is what its server
published of it, or if the server publishes nothing of it.
"""

from __future__ import annotations

from webclient.servers.skills.entries import LONGEST_URI, SKILL_MD
from webclient.servers.skills.frontmatter import body_of
from webclient.servers.skills.skills import Skills, has_skills

__all__ = ["LONGEST_URI", "SKILL_MD", "Skills", "body_of", "has_skills"]
