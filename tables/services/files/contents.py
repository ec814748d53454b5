"""Contents of files that tables share: one that a table gets is not deleted meanwhile, and the other way round."""
from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction
from django.utils import timezone

from tables.models import FileContent, TableFile
from tables.services.files.storage import delete_stored


def lock_contents(keys: Collection[str]) -> set[str]:
    """Return those of the contents that are stored. They are not deleted before the end of the transaction.

    Call this before a content is added to a table, in the same transaction.
    """
    stored = FileContent.objects.filter(pk__in=keys, deleted_at=None).order_by("pk")
    return set(stored.select_for_update().values_list("pk", flat=True))


def delete_unused_contents(keys: Sequence[str]) -> int:
    """Delete those of the contents that no table has; return how many.

    They are marked first: from then on no table can get them. After that commit they are deleted from the storage, and
    their rows last, so that a later call continues what was interrupted. Must run outside of a transaction.
    """
    with transaction.atomic():
        locked = FileContent.objects.filter(pk__in=keys).order_by("pk").select_for_update()
        found = list(locked.values_list("pk", flat=True))
        # Read once the rows are locked, so that it includes those that were added meanwhile.
        used = set(TableFile.objects.filter(content_id__in=found).values_list("content_id", flat=True))
        unused = [key for key in found if key not in used]
        FileContent.objects.filter(pk__in=unused, deleted_at=None).update(deleted_at=timezone.now())
    for key in unused:
        delete_stored(key)
    FileContent.objects.filter(pk__in=unused).delete()
    return len(unused)
