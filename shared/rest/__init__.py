"""Shared by the REST APIs of all apps.

`schemas`: JSON schemas. `parameters`: query parameters and headers. `serializers`: strict bodies and their fields.
`read_first`: what views read before the transaction of an Idempotency-Key.
"""
