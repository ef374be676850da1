"""Rules about text and data from outside: forms, links, secrets, pictures, and what is hidden in text."""
