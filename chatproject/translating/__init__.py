"""How texts get into other languages: they are found in the sources, kept beside them in `locale/`, and made ready.

Only developers and tests come here, with Babel; what runs reads what was made.
"""
