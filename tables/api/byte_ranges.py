"""The part of a file that a download asks for (RFC 9110, section 14)."""
from __future__ import annotations

import re
from collections.abc import Mapping

from shared.user_messages import declare
from tables.exceptions import NotInRange

ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
NOT_IN_RANGE = declare("not_in_range", "The file has {count:,} bytes, and none of the requested ones.")


def requested_part(headers: Mapping[str, str], *, size: int, etag: str) -> range | None:
    """Return the bytes of the header Range; None if the whole content is to be sent.

    Several ranges, other units, and a part of another version (If-Range) are answered by the whole content, as the RFC
    allows. Raises NotInRange.
    """
    found = ONE_RANGE.fullmatch(headers.get("Range", "").strip())
    if found is None or headers.get("If-Range", etag).strip() != etag or found[0] == "bytes=-":
        return None
    first, last = found[1], found[2]
    if not first:
        part = range(max(0, size - int(last)), size)
    elif last and int(last) < int(first):
        return None
    else:
        part = range(int(first), min(size, int(last) + 1) if last else size)
    if not part:
        raise NotInRange(NOT_IN_RANGE(count=size), extra={"content_range": f"bytes */{size}"})
    return part
