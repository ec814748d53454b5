"""Sessions of users.

Read in this order: `store` (a session is read together with its user), `user_sessions` (list and end the sessions of a
user), `credentials` (check the sessions and tokens of open sockets, streams and turns).
"""
