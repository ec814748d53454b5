"""Settings of drf-spectacular: what the OpenAPI document says of the API as a whole."""
from __future__ import annotations

from typing import Any

DESCRIPTION = (
    "Every failure has one shape (Error): a code, a sentence, and where it was, each with its path. What is not yours "
    "and what is not there are the same 404. Unknown fields and parameters are refused.\n\n"
    "Programs send `Authorization: Bearer …`; a token with scope read is refused (403) by everything that may "
    "write. With an Idempotency-Key a request that is sent twice has its effect once and the same answer twice. "
    "A request that the database cannot carry out in time is a 503 with Retry-After (too_costly; busy where a lock was "
    "not free), and nothing is written. A server process works on a few requests of a user or address at a time; "
    "more wait, and those that wait too long are a 429 with Retry-After. "
    "X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset in every response give the calls per minute that "
    "are allowed and left, and when they start anew."
)
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Table Chat",
    "DESCRIPTION": DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVERS": [{"url": "/", "description": "This installation."}],
    "TAGS": [
        {"name": "tables", "description": "Tables, columns, rows, their history, and sharing."},
        {"name": "imports", "description": "Files that become rows."},
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
