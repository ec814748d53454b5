"""Django's PostgreSQL backend with time limits and a pool that reconnects quickly; an ENGINE for DATABASES."""
