"""Files of tables.

Modules in reading order: `media_types` (by content), `storage` (contents), `uploads`, `reading` (into memory),
`thumbnails`, `contents` (that tables share), `copying` (of tables), `archived` (of imports), and `retention` (permanent
deletion).
"""
