"""Settings of drf-spectacular, with the description of the API as a whole."""
from __future__ import annotations

from typing import Any

DESCRIPTION = (
    "All errors have the same form (Error): a code, a message, and the faults with their paths. Objects of other users "
    "are a 404, like those that do not exist. Unknown fields and parameters are refused.\n\n"
    "There is no request that creates users: administrators add them at `/admin/` or with `manage.py createsuperuser`, "
    "and tokens are created on the profile page or with `manage.py api_token`.\n\n"
    "Programs send `Authorization: Bearer …`. Requests that can write are a 403 with a token of scope read. A request "
    "that is repeated with the same Idempotency-Key is executed once and has the same response; one that was refused "
    "(4xx) does not use up its key. If the database cannot execute a request in "
    "time, the response is a 503 with Retry-After (too_costly, or busy if a lock was not free), "
    "and nothing is written. A server process works on a few requests of a user or address at a time; others wait, and "
    "after too long are a 429 with Retry-After. Every response has the allowed and remaining requests per minute in "
    "X-RateLimit-Limit and X-RateLimit-Remaining, and the seconds until they are reset in X-RateLimit-Reset.\n\n"
    "Changes can also be followed by WebSockets, which are described in an AsyncAPI document at /api/asyncapi/."
)
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "DESCRIPTION": DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "CONTACT": {"name": "The administrators of this installation"},
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVERS": [{"url": "/", "description": "This installation."}],
    "TAGS": [
        {"name": "tables", "description": "Tables, columns, rows, their history, and sharing."},
        {"name": "imports", "description": "Import of files as rows."},
        {"name": "chat", "description": "Conversations with the assistant, and its proposals."},
        {"name": "accounts", "description": "The signed-in user and their API tokens."},
        {"name": "server", "description": "This document, health and metrics."},
    ],
    "DEFAULT_GENERATOR_CLASS": "chatproject.openapi.document.Generator",
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
        },
    },
    "POSTPROCESSING_HOOKS": ["chatproject.openapi.document.without_enum_ids"],
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # In the order of the URLs and of the declarations.
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
}
