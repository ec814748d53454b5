"""All URLs of the project by access; new URLs must be added here."""
from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any
from uuid import uuid4

from django.urls import URLPattern, get_resolver

Json = dict[str, Any]

# Open to everyone; some have a secret key in the URL.
PUBLIC = {"healthz", "readyz", "metrics", "account_login", "sign_in_link", "account_logout", "account_signup",
          "shared_table", "shared_table_export", "account_reset_password", "account_reset_password_from_key",
          "account_confirm_email", "account_inactive", "openid_connect_login",
          "openid_connect_callback", "mfa_authenticate", "mfa_login_webauthn",
          "api_schema", "api_asyncapi", "api_docs"}  # fmt: skip
# For signed-in users, about themselves.
PERSONAL = {
    "home", "api_explorer", "profile", "account_change_password", "account_set_password", "account_email",
    "account_reauthenticate",
    "usersessions_list", "mfa_index", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes", "mfa_download_recovery_codes", "mfa_add_webauthn", "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn", "own_data", "delete_account", "tables_list", "new_table", "invitation",
    "copy_shared_table",
    "api_me", "api_assigned", "assigned_rows", "fill_notices",
    "api_tokens", "api_tables", "api_imports", "import_file", "api_new_table_proposal", "api_accept_invitation",
    "api_invitations",
    "chat_conversations", "chat_payload_types", "chat_page",
}  # fmt: skip
# About one object of a user: a table and its parts, a conversation, a turn, a proposal, a token.
OWNED = {
    "table_view", "table_edit", "table_export", "table_history", "api_token", "api_table", "api_columns", "api_rows",
    "api_row", "table_row", "table_row_new",
    "api_rows_delete", "api_rows_find", "api_rows_move", "api_restore", "api_duplicate", "api_column",
    "api_schema_proposal", "api_data_proposal",
    "api_undo", "api_redo", "api_stats", "api_choices", "api_aggregate",
    "api_changes", "api_events", "api_view", "api_export", "table_columns_shown",
    "api_change", "table_change", "api_restore_version", "table_restore",
    "api_members", "api_member", "api_invitation", "api_link", "api_transfer", "table_sharing",
    "api_accept", "api_decline", "api_files", "api_file", "api_thumbnail",
    "api_fills", "api_fill_offers", "api_fill", "api_fill_try", "api_fill_run", "api_fill_pause", "api_fill_resume",
    "api_fill_cancel", "api_fill_take_over",
    "api_fill_results", "api_fill_review", "api_fill_refill", "api_fill_apply", "api_row_origins",
    "api_standing_fills", "api_standing_fill", "api_standing_fill_run", "standing_fills",
    "review_fill", "dismiss_fill_notice", "new_fill", "fill_page",
    "api_import", "api_import_run", "api_import_report", "import_page",
    "chat_stream", "chat_turn", "chat_turn_stream", "chat_turn_trace", "chat_turn_cancel", "chat_conversation",
    "chat_restore", "chat_messages", "chat_feedback", "chat_action", "chat_payload", "chat_operations",
    "chat_preview", "chat_review", "chat_apply", "chat_dismiss", "chat_undo",
    "mfa_edit_webauthn", "mfa_remove_webauthn",
}  # fmt: skip
# WebSockets: about a table that the user can open, or about the user.
SOCKETS = {"ws/tables/<int:table_id>/", "ws/chat/"}
# Of the table URLs, those that change nothing, and those of the owner; editors may use the others.
READING = {("api_table", "GET"), ("api_columns", "GET"), ("api_rows", "GET"), ("api_row", "GET"), ("api_stats", "GET"),
           ("api_rows_find", "GET"),
           ("api_choices", "GET"), ("api_aggregate", "GET"), ("api_changes", "GET"), ("table_view", "GET"),
           ("api_events", "GET"), ("api_files", "GET"), ("api_file", "GET"), ("api_thumbnail", "GET"),
           ("api_fills", "GET"), ("api_fill", "GET"), ("api_fill_results", "GET"), ("api_fill_review", "GET"),
           ("api_row_origins", "GET"), ("fill_page", "GET"), ("api_standing_fills", "GET"),
           ("api_standing_fill", "GET"), ("standing_fills", "GET"), ("review_fill", "GET"),
           ("table_history", "GET"),
           ("api_change", "GET"), ("table_change", "GET"),
           ("api_duplicate", "POST"),
           ("table_sharing", "GET"),
           ("api_view", "GET"), ("api_view", "PUT"), ("api_export", "GET"), ("table_export", "GET"),
           ("table_columns_shown", "POST")}
OWNING = {("api_table", "DELETE"), ("api_restore", "POST"), ("api_members", "GET"), ("api_members", "POST"),
          ("api_member", "PATCH"), ("api_member", "DELETE"), ("api_invitation", "DELETE"), ("api_invitation", "POST"),
          ("api_link", "POST"),
          ("api_link", "DELETE"), ("api_transfer", "POST"),
          # A fill uses the tokens of the user who set it up.
          ("api_fill", "PATCH"), ("api_fill", "DELETE"), ("api_fill_try", "POST"), ("api_fill_run", "POST"),
          ("api_fill_resume", "POST"), ("api_fill_take_over", "POST"), ("api_fill_refill", "POST"),
          ("api_standing_fill", "PATCH"), ("api_standing_fill_run", "POST"),
          ("dismiss_fill_notice", "POST")}  # fmt: skip
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
UNKNOWN: Json = {
    "table_id": 10**9, "row_id": 10**9, "other_row_id": 10**9 + 1,
    "column_id": "col_00000000", "change_id": 10**9, "token_id": 10**9,
    "invitation_id": 10**9, "import_id": 10**9, "name": "anonymous", "token": "nothing", "action": "nothing",
    "file_id": "x" * 32, "page": "tables_list", "pk": 10**9, "provider_id": "nothing", "uidb36": "1", "key": "nothing",
    **dict.fromkeys(
        ("turn_id", "conversation_id", "payload_id", "message_id", "fill_id"), "00000000-0000-4000-8000-000000000000"
    ),
}  # fmt: skip
INNER = ("file_id", "row_id", "column_id", "change_id", "invitation_id", "name", "fill_id")


def all_urls() -> Iterator[tuple[str, str]]:
    """Return name and route (`api/tables/<int:table_id>/`) of all URLs outside of the admin."""
    yield from _nested_routes(get_resolver().url_patterns, before="")


def route_of(name: str) -> str:
    """Return the route of a URL name."""
    return _routes()[name]


@cache
def _routes() -> dict[str, str]:
    return dict(all_urls())


def admin_urls() -> list[tuple[str, str]]:
    """Return name and route of the admin's URLs, which are for staff with permissions."""
    admin = next(each for each in get_resolver().url_patterns if getattr(each, "namespace", None) == "admin")
    return [(name, f"admin/{route}") for name, route in _nested_routes(admin.url_patterns, before="")]


def _nested_routes(patterns: list[Any], *, before: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield str(pattern.name), route
        elif getattr(pattern, "namespace", None) != "admin":
            yield from _nested_routes(pattern.url_patterns, before=route)


def bodies(name: str, *, method: str, ids: Json) -> Json:
    """Return a body with which the owner's request succeeds."""
    add = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}
    column = {"name": "Due", "type": "date"}
    everything = {"operations": "all"}
    context = {"current_page": "table_view", "table_id": ids["table_id"]}
    known: dict[tuple[str, str], Json] = {
        ("api_table", "PATCH"): {"name": "Mine now"},
        ("api_columns", "POST"): column,
        ("api_column", "PATCH"): {"name": "Firm"},
        ("api_rows", "POST"): {"Company": "Crux"},
        ("api_rows", "PUT"): {"merge_on": ["Company"], "rows": [{"Company": "Crux"}]},
        ("api_rows", "PATCH"): {"rows": [{"id": ids["row_id"], "data": {"Salary": 1}}]},
        ("api_row", "PATCH"): {"data": {"Salary": 1}},
        ("api_rows_delete", "POST"): {"ids": [ids["row_id"]]},
        ("api_rows_move", "POST"): {"ids": [ids["row_id"]], "after_row_id": ids["other_row_id"]},
        ("api_data_proposal", "POST"): add,
        ("api_schema_proposal", "POST"): {"mode": "update", "operations": [{"action": "add", "column": column}]},
        ("api_view", "PUT"): {"widths": {"Company": 200}, "hidden": ["Salary"]},
        ("api_members", "POST"): {"kind": "link", "role": "viewer"},
        ("api_fills", "POST"): {"columns": ["Salary"], "instruction": "Guess from {Company}.", "rows": "all"},
        ("api_fill", "PATCH"): {"budget": 5_000},
        ("api_standing_fills", "POST"): {"columns": ["Salary"], "instruction": "Guess from {Company}."},
        ("api_standing_fill", "PATCH"): {"trigger": "changes"},
        ("api_fill_try", "POST"): {"rows": 1},
        ("api_fill_results", "PATCH"): {"edits": {}},
        ("api_fill_refill", "POST"): {"ids": [ids["row_id"]]},
        ("api_fill_apply", "POST"): {"rows": "all"},
        ("api_imports", "POST"): {"text": "Company\nCrux\n"},
        ("api_import", "PATCH"): {"table_name": "Mine now"},
        ("api_member", "PATCH"): {"role": "editor"},
        ("api_transfer", "POST"): {"to": ids.get("name", "anonymous")},
        ("chat_stream", "POST"): {"message": "Hello", "context": context, "client_turn_id": str(uuid4())},
        ("chat_action", "POST"): {"context": context, "data": {}},
        ("chat_conversation", "PATCH"): {"title": "Mine now"},
        ("chat_feedback", "POST"): {"rating": "down", "reason": "Wrong column."},
        ("chat_preview", "POST"): everything,
        ("chat_review", "PATCH"): {"unchecked": {"0": True}},
        ("chat_apply", "POST"): everything,
    }
    return known.get((name, method), {})
