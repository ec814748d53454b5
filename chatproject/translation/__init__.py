"""Translation files: `extraction` finds texts in the sources, `catalogs` reads and writes the files.

Only `manage.py messages` and tests use this package, because Babel is only installed for development.
"""
