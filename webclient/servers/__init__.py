"""The servers of a user and their lives: the registry, the connections, the catalogs."""
