"""`manage.py messages`: extracts translatable texts, updates the .po files, and compiles them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

ROOT = Path(__file__).resolve().parents[3]


class Command(BaseCommand):
    help = "Update locale/ and static/languages/ from the source code, and check the translations."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail if anything is out of date")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        found = found_texts(root=ROOT)
        for code in languages():
            if not check:
                update_files(root=ROOT, code=code, found=found)
            if wrong := list(faults_of(root=ROOT, code=code, found=found)):
                lines = "\n".join(f"  {line}" for line in wrong)
                again = "Correct them in locale/, then run: python3 manage.py messages"
                raise CommandError(f"{code}: {len(wrong)} errors.\n{lines}\n{again}")
            self.stdout.write(f"{code}: all {sum(len(texts) for texts in found.values())} texts are translated.")


def languages() -> list[str]:
    """Return the languages that texts are translated to."""
    return [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def found_texts(*, root: Path) -> dict[str, Catalog]:
    """Return the texts in the sources by domain: those of the server and those of scripts."""
    # Babel is only installed for development, but every installation lists its commands.
    from chatproject.translation import catalogs, extraction

    return {
        catalogs.SERVER: extraction.found_by_server(root=root),
        catalogs.SCRIPTS: extraction.found_by_scripts(root=root),
    }


def update_files(*, root: Path, code: str, found: dict[str, Catalog]) -> None:
    """Write the .po files and the compiled files."""
    for path, content in _files(root=root, code=code, found=found):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def faults_of(*, root: Path, code: str, found: dict[str, Catalog]) -> Iterator[str]:
    """Return one line for each fault of a language."""
    from chatproject.translation import catalogs

    for domain, texts in found.items():
        known = catalogs.read(catalogs.po_path(root, code=code, domain=domain), code=code)
        yield from catalogs.faults(known, found=texts)
    for path, content in _files(root=root, code=code, found=found):
        if not path.exists() or path.read_bytes() != content:
            yield f"out of date: {path.relative_to(root)}"


def _files(*, root: Path, code: str, found: dict[str, Catalog]) -> Iterator[tuple[Path, bytes]]:
    from chatproject.translation import catalogs

    for domain, texts in found.items():
        path = catalogs.po_path(root, code=code, domain=domain)
        catalog = catalogs.merged(catalogs.read(path, code=code), found=texts)
        yield path, catalogs.as_po(catalog, code=code).encode()
        if domain == catalogs.SERVER:
            yield path.with_suffix(".mo"), catalogs.as_mo(catalog, code=code)
        else:
            yield root / "static" / "languages" / f"{code}.js", catalogs.as_script(catalog, code=code).encode()
