"""The nouns of this program, its errors, reasons and languages; every room may use them."""
