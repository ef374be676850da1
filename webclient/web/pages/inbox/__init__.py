"""The pages of the inbox: its list, its cards, and what has ended."""
