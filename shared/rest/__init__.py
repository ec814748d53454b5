"""Helpers shared by the REST APIs of all apps.

Read in this order: `openapi` (JSON schemas, query parameters and headers), `serializers` (strict bodies and their
fields), `preconditions` (which writes honour `If-Match`), `before_transaction` (reads before the transaction of an
Idempotency-Key), `encoded_body` (responses whose largest part is JSON text already).
"""
