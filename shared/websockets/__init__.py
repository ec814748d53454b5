"""Helpers shared by the WebSockets of all apps. This package imports no app.

Read in this order: `consumer` (the base class of consumers, and close codes), `connect_queue` (limits how many connect
at once), `credentials` (the user of a socket, and checks of the session or token), `broadcast` (messages to groups),
`relay` (messages of other processes without Redis),
`groups` (joining a group), `event_stream` (server-sent events), `file_stream` (a file with the same check of access),
`periodic` (a task that runs while it is needed), `clock`.
"""
