"""Code that all apps share. It imports no app.

Read in this order: `user_messages` (texts for users as codes with parameters), `strictjson`, `db` (SQL statements, time
limits, and the lock of large work), `rest` (schemas, parameters and serializers of the APIs), `websockets`, `admin`,
`sign_in` (sign-in for pages with secret URLs), `rare_gc` (garbage collection during large changes).
"""
