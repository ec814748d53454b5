"""Django's SQLite, with connections that are kept: to be named as a database's ENGINE."""
