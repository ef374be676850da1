"""Messages as the specification writes them, and what is wrong with one."""
