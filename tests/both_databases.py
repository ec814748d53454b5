"""Which tests run on PostgreSQL too: those of code that depends on SQL, locks, transactions or JSON in the database.

Tests of code that only passes data through, such as pages and texts, run on SQLite alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_setup"}
INCLUDED = """
accounts/test_account_deletion.py
accounts/test_retention.py
accounts/test_session_store.py
chat/admin/test_figures.py
chat/admin/test_written_by_sql.py
chat/api/test_branches.py
chat/api/test_conversation_lists.py
chat/configuration
chat/payloads
chat/services
chat/test_configuration_in_two_processes.py
chat/test_statements.py
chat/test_stream_view.py
chat/test_two_processes.py
chat/test_two_servers.py
chat/tools/test_counting_tools.py
chat/tools/test_direct_writes.py
chat/turns/test_budget.py
chat/turns/test_runtime.py
chat/turns/test_shutdown.py
chat/turns/test_event_log.py
chat/turns/test_inaccessible_tables.py
chat/turns/test_stream_slots.py
chat/turns/test_statements.py
chat/turns/test_stopped_tools.py
chatproject/metrics
chatproject/production
chatproject/test_backup.py
chatproject/test_idempotency.py
chatproject/test_readiness.py
chatproject/test_request_limits.py
chatproject/test_retention.py
chatproject/test_schedules.py
chatproject/testing/test_database_cleanup.py
fills
flows/stateful
flows/test_soak.py
flows/test_value_entries.py
shared/db/test_time_limits.py
tables
""".split()
EXCLUDED = """
chat/services/test_configuration.py
chat/services/test_proposal_status.py
fills/test_chat.py
fills/test_command.py
fills/test_corrections.py
fills/test_pages.py
fills/test_web.py
tables/column_types
tables/consumers/test_event_stream.py
tables/consumers/test_presence.py
tables/consumers/test_real_servers.py
tables/consumers/test_table_socket.py
tables/exporting/test_access_ended.py
tables/exporting/test_escaping.py
tables/exporting/test_export_access.py
tables/exporting/test_files.py
tables/exporting/test_over_http.py
tables/exporting/test_pages.py
tables/files/test_archives.py
tables/files/test_object_storage.py
tables/importing/test_import_pages.py
tables/importing/test_file_reading.py
tables/importing/test_import_messages.py
tables/importing/test_separators.py
tables/importing/test_workbooks.py
tables/operations
tables/test_admin.py
tables/test_admin_actions.py
tables/test_filter_bar.py
tables/test_history_sources.py
tables/test_invalid_requests.py
tables/test_invitations.py
tables/test_members.py
tables/test_new_table.py
tables/test_noop_changes.py
tables/test_noop_undo.py
tables/test_pinned_dry_runs.py
tables/test_tables_list.py
tables/test_unavailable_types.py
tables/test_view_settings.py
tables/test_row_names.py
tables/test_pages.py
tables/test_row_form.py
tables/test_shared_table.py
tables/test_sharing_page.py
tables/test_column_warnings.py
tables/test_row_error_messages.py
tables/test_write_rules.py
tables/test_column_keys.py
tables/test_change_pages.py
tables/test_sharing.py
tables/test_history_undo.py
tables/test_select_options.py
tables/test_rest_writing.py
tables/test_large_work.py
tables/test_limits.py
tables/test_reading_api.py
""".split()
MISSING = [name for name in (*INCLUDED, *EXCLUDED) if not (TESTS / name).exists()]
assert MISSING == [], "renamed or deleted; adapt the lists above"


def runs_on_both(path: Path) -> bool:
    """Return whether the test file, or a folder around it, is included and not excluded."""
    if not path.name.startswith("test_"):
        return True
    inside = {path, *path.parents}
    return any(TESTS / name in inside for name in INCLUDED) and not any(TESTS / name in inside for name in EXCLUDED)


def uses_database(item: pytest.Item) -> bool:
    return bool(item.get_closest_marker("django_db") or set(getattr(item, "fixturenames", ())) & DATABASE_FIXTURES)
