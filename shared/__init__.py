"""Code that all apps share; it imports none of them.

Read in this order: `user_messages` (texts for people as codes with parameters), `strictjson`, `db` (statements, time
limits and turns for large work), `rest` (bodies, schemas and parameters of the APIs), `websockets`, `admin`.
"""
