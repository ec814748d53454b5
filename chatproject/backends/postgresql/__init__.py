"""Django's PostgreSQL backend with time limits; an ENGINE for DATABASES."""
