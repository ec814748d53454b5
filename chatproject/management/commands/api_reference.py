"""`manage.py api_reference`: writes docs/api_reference.md from the OpenAPI document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

PAGE = Path(__file__).resolve().parents[3] / "docs" / "api_reference.md"


class Command(BaseCommand):
    help = "Update docs/api_reference.md, the page with all endpoints and fields of the API."

    def handle(self, *args: Any, **options: Any) -> None:
        from chatproject.openapi.document import document
        from chatproject.openapi.reference import reference_page

        PAGE.write_text(reference_page(document()), encoding="utf-8")
        self.stdout.write(f"Updated {PAGE}.")
