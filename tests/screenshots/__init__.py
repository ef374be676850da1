"""Pictures of every page, in both languages, both colour schemes and three widths, of the program as it runs."""
