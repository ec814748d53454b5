"""Formats for English, the language of the admin. Other pages have their own formats."""
