"""All walks. Together they reach each page and state once per screen size.

Large and shared tables and German pages are only for screenshots: axe finds nothing new in them.
"""
from __future__ import annotations

from tests.browser.states.account_pages import profile_pages, shared_tables, sign_in_pages
from tests.browser.states.admin import admin, records
from tests.browser.states.answers import chips, log_entries, payload_cards
from tests.browser.states.chat import answers, conversations, failed_and_waiting
from tests.browser.states.files import files
from tests.browser.states.fills import fills
from tests.browser.states.german_reading import german_columns, german_grid, german_lists, german_sign_in
from tests.browser.states.german_reviews import german_chat, german_column_changes, german_rows
from tests.browser.states.grid import grid_editing, many_rows, without_columns
from tests.browser.states.reviews import carried_over_review, columns_under_review, refused_rows, rows_under_review
from tests.browser.states.shared_and_large_tables import presence, very_many_rows
from tests.browser.states.stage import Walk
from tests.browser.states.tables import columns, grids, lists, row_forms
from tests.browser.states.tray import notices, running_turns

WALKS: tuple[Walk, ...] = (
    sign_in_pages, shared_tables, profile_pages, lists, files, grids, grid_editing, many_rows, without_columns,
    columns, fills, row_forms, rows_under_review, refused_rows, carried_over_review, columns_under_review,
    answers, running_turns, failed_and_waiting, notices, log_entries, chips, payload_cards, conversations, admin,
    records,
)  # fmt: skip
LARGE_AND_SHARED: tuple[Walk, ...] = (presence, very_many_rows)
GERMAN_WALKS: tuple[Walk, ...] = (
    german_sign_in, german_lists, german_grid, german_columns, german_rows, german_column_changes, german_chat,
    *LARGE_AND_SHARED,
)  # fmt: skip
