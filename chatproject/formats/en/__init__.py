"""Formats for English, the language of the admin. Other pages use formats of their own."""
