"""What the WebSockets of all apps share. It imports no app.

Read in this order: `consumer` (the base class of consumers, and close codes), `connect_queue` (limits how many connect
at once), `credentials` (who opened a socket, and whether that is still valid), `broadcast` (messages to groups),
`file_stream` (a streamed response with the same check of access), `clock`.
"""
