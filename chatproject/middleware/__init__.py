"""Middleware, in the order of `MIDDLEWARE` in the settings.

Read in this order: `inline` (the base class, and Django's middleware on top of it), `requests` (ids, methods, bodies,
errors), `api_access` (tokens and rate limits), `localization` (language and time zone), `request_limits` (a slot and a
time limit for each request), `idempotency` (`Idempotency-Key`).
"""
