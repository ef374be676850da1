"""The pages of users: signing in, tokens, notices, and those for administrators."""
