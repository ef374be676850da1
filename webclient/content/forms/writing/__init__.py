"""How single values are written as text, and read again: JSON, numbers, and dates with their time zone."""
