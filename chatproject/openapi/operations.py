"""All described operations, by the group they are listed in, the name of their URL and their method."""
from __future__ import annotations

from chatproject.openapi.imports_operations import IMPORTS
from chatproject.openapi.other_operations import ACCOUNTS, CHAT, ROOF
from chatproject.openapi.tables_operations import TABLES
from chatproject.openapi.words import Operation

GROUPS = {"tables": TABLES, "imports": IMPORTS, "chat": CHAT, "accounts": ACCOUNTS, "server": ROOF}


def described(name: str, *, method: str) -> Operation:
    """Return the description of an operation. Raises LookupError."""
    for operations in GROUPS.values():
        if method in operations.get(name, {}):
            return operations[name][method]
    raise LookupError(f"{method.upper()} of {name} is not described")
