"""Every walk there is: together they come by each page and state, once for each size of screen. Those for pictures
alone show what axe finds nothing new in: very many rows, company, another language."""
from __future__ import annotations

from tests.browser.states.account_pages import doors, guests, oneself
from tests.browser.states.admin import admin, records
from tests.browser.states.answers import chips, payloads_beside, said
from tests.browser.states.chat import answers, conversations, troubles
from tests.browser.states.files import files
from tests.browser.states.german_reading import german_columns, german_doors, german_grid, german_lists
from tests.browser.states.german_reviews import german_chat, german_rows, german_schemas
from tests.browser.states.grid import hands, many_rows, without_columns
from tests.browser.states.reviews import columns_under_review, rows_in_trouble, rows_reviewed_before, rows_under_review
from tests.browser.states.shared_and_large_tables import presence, very_many_rows
from tests.browser.states.stage import Walk
from tests.browser.states.tables import columns, grids, lists, row_forms
from tests.browser.states.tray import notices, under_way

WALKS: tuple[Walk, ...] = (
    doors, guests, oneself, lists, files, grids, hands, many_rows, without_columns, columns, row_forms,
    rows_under_review, rows_in_trouble, rows_reviewed_before, columns_under_review,
    answers, under_way, troubles, notices, said, chips, payloads_beside, conversations, admin, records,
)  # fmt: skip
OF_MANY_AND_COMPANY: tuple[Walk, ...] = (presence, very_many_rows)
IN_GERMAN: tuple[Walk, ...] = (
    german_doors, german_lists, german_grid, german_columns, german_rows, german_schemas, german_chat,
    *OF_MANY_AND_COMPANY,
)  # fmt: skip
