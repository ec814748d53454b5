"""The ASGI application and the server that runs it.

Read in this order: `application` (the application with all its wrappers), `static_files`, `backpressure`,
`request_bodies`, `sockets`, `lifespan` (start and end with uvicorn), `daphne` (start and end with Daphne).
"""
