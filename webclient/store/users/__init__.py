"""The rows of users: who they are, how they sign in, their notices, and the audit trail."""
