"""Django's SQLite backend with a connection pool, a queue of writers and time limits; an ENGINE for DATABASES.

Read in this order: `base`, `connection_pool`, `write_queue`.
"""
