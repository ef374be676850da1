"""Connections to the database, its tables and its upgrades, and the sealing of secrets in it."""
