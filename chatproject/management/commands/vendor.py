"""`manage.py vendor`: fetches third-party files for pages and tests; `--check` compares them with their digests."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tarfile
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

ROOT = Path(__file__).resolve().parents[3]
SERVED = ROOT / "static" / "vendor"
FOR_TESTS = ROOT / "tests" / "browser" / "vendor"
SCHEMAS = ROOT / "tests" / "chatproject" / "openapi" / "vendor"
LIST = "vendor.json"


class Command(BaseCommand):
    help = "Download the files that each vendor.json lists."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="download nothing; fail if a file differs")
        parser.add_argument("--update", action="store_true", help="accept and store new digests after a version change")

    def handle(self, *args: Any, check: bool, update: bool, **options: Any) -> None:
        for folder in (SERVED, FOR_TESTS, SCHEMAS):
            path, entries = folder.relative_to(ROOT), listed(folder=folder)
            if check:
                if wrong := strays(folder=folder, entries=entries):
                    raise CommandError(f"{path}: " + "; ".join(wrong))
                self.stdout.write(f"{path}: all files match.")
                continue
            fetch(folder=folder, entries=entries, update=update)
            self.stdout.write(f"{path}: downloaded {len(entries)} packages.")


def fetch(*, folder: Path, entries: list[dict[str, Any]], update: bool) -> None:
    """Write the files and the list. A file with another digest is refused or, with `update`, listed anew."""
    for entry in entries:
        for file in entry["files"]:
            content = fetched(package=f"{entry['name']}@{entry['version']}", path=file["from"])
            digest = hashlib.sha256(content).hexdigest()
            if digest != file["sha256"] and not update:
                raise CommandError(f"{file['file']}: digest {digest} differs from {file['sha256']}")
            file["sha256"] = digest
            (folder / file["file"]).write_bytes(content)
    (folder / LIST).write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")


def listed(*, folder: Path) -> list[dict[str, Any]]:
    """Return the list `[{"name","version","licence","files":[{"file","from","sha256"}]}]`."""
    entries: list[dict[str, Any]] = json.loads((folder / LIST).read_text(encoding="utf-8"))
    return entries


def strays(*, folder: Path, entries: list[dict[str, Any]]) -> list[str]:
    """Return a sentence for each file that is missing, changed or not listed."""
    known = {file["file"]: file["sha256"] for entry in entries for file in entry["files"]}
    present = {path.name: path for path in folder.iterdir() if path.name != LIST}
    wrong = [f"{name} is not listed" for name in sorted(present.keys() - known.keys())]
    for name, digest in sorted(known.items()):
        if name not in present:
            wrong.append(f"{name} is missing")
        elif hashlib.sha256(present[name].read_bytes()).hexdigest() != digest:
            wrong.append(f"{name} has changed")
    return wrong


def fetched(*, package: str, path: str) -> bytes:
    """Return one file of an npm package (npm checks the digest of the archive)."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", package, "--silent", "--pack-destination", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode != 0 or not archives:
            raise CommandError(f"npm could not download {package}:\n{done.stderr.strip()}")
        with tarfile.open(archives[0]) as archive:
            member = archive.extractfile(f"package/{path}")
            if member is None:
                raise CommandError(f"{package} has no file {path}")
            return member.read()
