"""Django's PostgreSQL backend with time limits; the ENGINE of a PostgreSQL database."""
