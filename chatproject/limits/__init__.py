"""Limits of a server process.

Read in this order: `body_size` (request bodies), `request_slots` (concurrent requests), `memory`. The middleware that
applies them is `chatproject.middleware.request_limits`.
"""
