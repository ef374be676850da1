"""A hostile server: each tool is one attack on the person who answers, and every one of them ends by itself.

It shows clients what to expect. It opens nothing, stores nothing outside of this process and sends nothing anywhere:
`report` says what it got. Only hosts under `.example` are named as its own, which cannot be registered (RFC 2606).
"""
