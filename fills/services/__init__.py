"""Services: all writes to fills.

In reading order: `offers` (models and tools), `definitions` (what a fill says), `rows` (the rows that it is for),
`estimates`, `control` (try, run, pause, resume, cancel, refill), `steps` (the work of a worker), `outages` (rows that
get no answer), `batches` (rows that are sent together), `announcements` (the end, with log and signal), `news` (to open
pages), `lost_rights` (fills whose user may not edit the table any more), `value_checks` (of found values,
by the columns as they are now), `review_states` (of found results), `review` (apply results to the table), `edits` and
`request_paths` (of requests about results), `corrections` (of found values), `deletion`, `origins` (of applied values),
`overview`, `outdated_rows`, `standing_fills` and `standing_runs` (of fills that are stored and run again).
"""
from __future__ import annotations

from fills.services.announcements import mark_seen
from fills.services.control import cancel_fill, pause_fill, refill_rows, resume_fill, run_fill, try_rows
from fills.services.corrections import correct_results
from fills.services.definitions import change_fill, create_fill, plan_fill
from fills.services.deletion import delete_fill
from fills.services.lost_rights import access_changed, take_over_fill
from fills.services.offers import (
    Offers,
    called_model,
    default_model,
    offered_models,
    offers_for,
    register_mailer,
    web_tools,
)
from fills.services.origins import delete_origins
from fills.services.review import (
    ComposedReview,
    Review,
    apply_confident,
    apply_results,
    compose_results,
    preview_results,
)
from fills.services.review_states import review_states
from fills.services.standing_fills import (
    change_standing_fill,
    create_standing_fill,
    delete_standing_fill,
    problems_of,
)
from fills.services.standing_runs import (
    Status,
    all_standing_fills,
    find_outdated_rows,
    run_due,
    run_standing_fill,
    schedule_runs,
    standing_fill_status,
)
from fills.services.steps import CallOutcome, RowToFill, Step, WorkRules, may_continue, release_rows, take_step
from fills.services.value_checks import value_faults

__all__ = [
    "CallOutcome",
    "ComposedReview",
    "Offers",
    "Review",
    "RowToFill",
    "Status",
    "Step",
    "WorkRules",
    "access_changed",
    "all_standing_fills",
    "apply_confident",
    "apply_results",
    "called_model",
    "cancel_fill",
    "change_fill",
    "change_standing_fill",
    "compose_results",
    "correct_results",
    "create_fill",
    "create_standing_fill",
    "default_model",
    "delete_fill",
    "delete_origins",
    "delete_standing_fill",
    "find_outdated_rows",
    "mark_seen",
    "may_continue",
    "offered_models",
    "offers_for",
    "pause_fill",
    "plan_fill",
    "preview_results",
    "problems_of",
    "refill_rows",
    "register_mailer",
    "release_rows",
    "resume_fill",
    "review_states",
    "run_due",
    "run_fill",
    "run_standing_fill",
    "schedule_runs",
    "standing_fill_status",
    "take_over_fill",
    "take_step",
    "try_rows",
    "value_faults",
    "web_tools",
]
