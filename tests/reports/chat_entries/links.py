"""Link kind `paper`: links from answers to papers."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.urls import reverse

from chat.links import Link, LinkKind, register_link_kind
from tests.reports.papers import papers_for


def resolve(user: Any, ids: Collection[str]) -> dict[str, Link]:
    """Return links to those of the papers that the user may view."""
    found = papers_for(user).filter(pk__in=[each for each in ids if each.isdecimal() and len(each) < 19])
    pages = {paper.pk: reverse("reports", args=[paper.report_id]) for paper in found}
    return {str(pk): Link(href=f"{page}#{pk}", data={"paper_id": pk}) for pk, page in pages.items()}


register_link_kind(LinkKind(name="paper", description="a paper of the report, by its `id`.", resolve=resolve))
