"""`manage.py messages`: finds what is to be translated, keeps the files of each language in line, makes what runs."""

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
                bring_in_line(root=ROOT, code=code, found=found)
            if wrong := list(faults_of(root=ROOT, code=code, found=found)):
                told = "\n".join(f"  {line}" for line in wrong)
                again = "Correct them in locale/, then run: python3 manage.py messages"
                raise CommandError(f"{code}: {len(wrong)} errors.\n{told}\n{again}")
            self.stdout.write(f"{code}: all {sum(len(texts) for texts in found.values())} texts are translated.")


def languages() -> list[str]:
    """The languages that texts are translated into."""
    return [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def found_texts(*, root: Path) -> dict[str, Catalog]:
    """The texts in the sources, by domain: those of the server and those of scripts."""
    # Babel is there for developers alone: a server lists its commands without it.
    from chatproject.translating import catalogues, extraction

    return {
        catalogues.SERVER: extraction.found_by_server(root=root),
        catalogues.SCRIPTS: extraction.found_by_scripts(root=root),
    }


def bring_in_line(*, root: Path, code: str, found: dict[str, Catalog]) -> None:
    """Writes the files for people, and what is made of them."""
    for path, content in _wanted(root=root, code=code, found=found):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


def faults_of(*, root: Path, code: str, found: dict[str, Catalog]) -> Iterator[str]:
    """What is wrong with a language, one line each."""
    from chatproject.translating import catalogues

    for domain, texts in found.items():
        known = catalogues.read(catalogues.po_path(root, code=code, domain=domain), code=code)
        yield from catalogues.faults(known, found=texts)
    for path, content in _wanted(root=root, code=code, found=found):
        if not path.exists() or path.read_bytes() != content:
            yield f"out of date: {path.relative_to(root)}"


def _wanted(*, root: Path, code: str, found: dict[str, Catalog]) -> Iterator[tuple[Path, bytes]]:
    from chatproject.translating import catalogues

    for domain, texts in found.items():
        path = catalogues.po_path(root, code=code, domain=domain)
        catalog = catalogues.brought_in_line(catalogues.read(path, code=code), found=texts)
        yield path, catalogues.as_po(catalog, code=code).encode()
        if domain == catalogues.SERVER:
            yield path.with_suffix(".mo"), catalogues.as_mo(catalog, code=code)
        else:
            yield root / "static" / "languages" / f"{code}.js", catalogues.as_script(catalog, code=code).encode()
