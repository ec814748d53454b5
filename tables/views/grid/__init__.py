"""The page of one table.

In reading order: `table_query` (the requested view), `cells`, `filter_words`, `filters`, `sorting` and `exporting` (the
toolbar), `table` (the page), `shared` (the page of a share link).
"""
