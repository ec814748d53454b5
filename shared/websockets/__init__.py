"""Helpers shared by the WebSockets of all apps. This package imports no app.

Read in this order: `consumer` (the base class of consumers, and close codes), `connect_queue` (limits how many connect
at once), `credentials` (the user of a socket, and checks of the session or token), `broadcast` (messages to groups),
`file_stream` (a streamed response with the same check of access), `clock`.
"""
