"""Brings an install up to date before it serves: the database, the administrator, the demo tables, the static files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import django
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from chatproject.assets import source_files
from chatproject.demo_tables import DemoTable, big_table, demo_tables
from tables.operations import Origin
from tables.services import add_rows, create_table

ADMINISTRATOR = "admin"
PIECE = 5_000  # rows written at once
Say = Callable[[str], None]


def migrate(*, say: Say) -> None:
    """Apply the migrations that are not applied yet."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        say("Preparing the database …")
        call_command("migrate", interactive=False, verbosity=0)


def administrator() -> User | None:
    """The person the printed link signs in: "admin", else the first active superuser."""
    superusers = User.objects.filter(is_superuser=True, is_active=True)
    return superusers.filter(username=ADMINISTRATOR).first() or superusers.order_by("pk").first()


def seed(*, big: bool, say: Say) -> User:
    """Give a database without people an administrator and three demo tables; later starts change nothing.

    `big` also makes the table of 100,000 rows, unless this administrator has one of that name.
    """
    if not User.objects.exists():
        say("Creating three demo tables …")
        with transaction.atomic():
            # No password: the printed link is the way in, and a password can be set from within.
            admin = User.objects.create_superuser(ADMINISTRATOR)
            for table in demo_tables():
                _make(table, owner=admin)
    owner = administrator()
    if owner is None:
        say(f"There is no active administrator. Creating {ADMINISTRATOR} …")
        owner, _ = User.objects.update_or_create(
            username=ADMINISTRATOR, defaults={"is_superuser": True, "is_staff": True, "is_active": True}
        )
    if big:
        _make_big(owner=owner, say=say)
    return owner


def _make_big(*, owner: User, say: Say) -> None:
    table = big_table()
    if owner.tables.filter(name=table.name, deleted_at=None).exists():
        return
    with transaction.atomic():
        _make(table, owner=owner, say=say)


def _make(table: DemoTable, *, owner: User, say: Say | None = None) -> None:
    """Through the same services as everybody's writes, a piece at a time."""
    origin = Origin(source="import")
    made = create_table(
        user=owner,
        name=table.name,
        description=table.description,
        columns=list(table.columns),
        rows=list(table.rows[:PIECE]),
        origin=origin,
    )
    for begin in range(PIECE, len(table.rows), PIECE):
        if say:
            say(f"  {table.name}: {begin:,} of {len(table.rows):,} rows")
        add_rows(user=owner, table_id=made.id, rows=list(table.rows[begin : begin + PIECE]), origin=origin)


def collect_static(*, say: Say) -> None:
    """Collect the static files when one of them changed since the last time."""
    stamp = Path(settings.DATA_DIR) / "static.json"
    today = {"sources": sources_digest(), "root": str(settings.STATIC_ROOT)}
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    try:
        unchanged = manifest.exists() and json.loads(stamp.read_text(encoding="utf-8")) == today
    except (OSError, ValueError):
        unchanged = False
    if unchanged:
        return
    say("Collecting static files …")
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(json.dumps(today), encoding="utf-8")


def sources_digest() -> str:
    """Return a digest of the names, sizes and times of all static source files of the installed apps."""
    digest = hashlib.sha256(django.get_version().encode())
    for name, path in sorted(source_files()):
        known = path.stat()
        digest.update(f"{name}\0{known.st_size}\0{known.st_mtime_ns}\n".encode())
    return digest.hexdigest()
