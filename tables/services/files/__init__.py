"""Files of tables.

Modules in reading order: `media_types` (by content), `storage` (contents), `uploads`, `thumbnails`,
`copying` (of tables), and `retention` (permanent deletion).
"""
