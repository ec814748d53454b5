"""The rights of a running import: checked with each part that it reads or writes, not only at its start."""
from __future__ import annotations

from django.contrib.auth import get_user_model

from shared.user_messages import declare
from tables.exceptions import Forbidden, NotFound
from tables.models import Import
from tables.selectors.tables import get_table

ACCOUNT_DEACTIVATED = declare(
    "account_deactivated", "Your account was deactivated while the import ran. Nothing was written."
)
IMPORT_ACCESS_ENDED = declare(
    "import_access_ended", "You may no longer change this table, or it was deleted. Nothing was written."
)


def require_import_access(imported: Import) -> None:
    """Raise Forbidden unless the user is active and may still edit the table of the import; two queries."""
    user = get_user_model().objects.filter(pk=imported.user_id, is_active=True).first()
    if user is None:
        raise Forbidden(ACCOUNT_DEACTIVATED(), code="access_ended")
    if imported.table_id is None:
        return
    try:
        get_table(user, imported.table_id, can="edit")
    except (NotFound, Forbidden):
        raise Forbidden(IMPORT_ACCESS_ENDED(), code="access_ended") from None
