"""Imports of files: `pages` and `form` (the choices about a file)."""
