"""Sets up an installation: migrations, the administrator, demo tables, and static files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import django
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.checks import Tags, run_checks
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from chatproject.assets import source_files
from chatproject.startup.demo_tables import DemoTable, Row, big_table, demo_tables

ADMINISTRATOR = "admin"
BATCH_SIZE = 5_000  # rows
OWN_APPS = {"accounts", "chat", "chatproject", "fills", "tables"}
OTHER_VERSION = (
    "This database belongs to another version of Table Chat, which has the migration {migration}. Start that version, "
    "or use another database or DATA_DIR (now {folder})."
)
PrintLine = Callable[[str], None]


def migrate(*, print_line: PrintLine) -> None:
    """Apply the migrations that are not applied yet, and print what is left to do.

    Raise CommandError for a database of another version.
    """
    executor = MigrationExecutor(connection)
    loader = executor.loader
    removed = loader.applied_migrations.keys() - loader.disk_migrations.keys()
    unknown = sorted(key for key in removed if key[0] in OWN_APPS)
    if unknown:
        raise CommandError(OTHER_VERSION.format(migration=".".join(unknown[-1]), folder=settings.DATA_DIR))
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        print_line("Preparing the database …")
        call_command("migrate", interactive=False, verbosity=0)
    for warning in run_checks(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS]):
        print_line(f"{warning.msg} {warning.hint or ''}")


def administrator() -> User | None:
    """Return the user for the sign-in link that is printed: "admin", else the first active superuser."""
    superusers = User.objects.filter(is_superuser=True, is_active=True)
    return superusers.filter(username=ADMINISTRATOR).first() or superusers.order_by("pk").first()


def seed(*, big: bool, print_line: PrintLine) -> User:
    """Create the administrator and four demo tables in a database without users, and return the administrator.

    With `big`, also create the table of 100,000 rows, unless the administrator has one of that name. Without the app
    `tables`, only create the administrator.
    """
    has_tables = apps.is_installed("tables")
    if not User.objects.exists():
        if has_tables:
            print_line("Creating four demo tables …")
        with transaction.atomic():
            # Without a password: the user signs in with the printed link and can then set one.
            admin = User.objects.create_superuser(ADMINISTRATOR)
            for table in demo_tables(owner_id=admin.pk) if has_tables else ():
                _create_table(table, owner=admin)
    owner = administrator()
    if owner is None:
        print_line(f"There is no active administrator. Creating {ADMINISTRATOR} …")
        owner, _ = User.objects.update_or_create(
            username=ADMINISTRATOR, defaults={"is_superuser": True, "is_staff": True, "is_active": True}
        )
    if big and has_tables:
        _create_big_table(owner=owner, print_line=print_line)
    return owner


def _create_big_table(*, owner: User, print_line: PrintLine) -> None:
    table = big_table()
    if owner.tables.filter(name=table.name, deleted_at=None).exists():
        return
    with transaction.atomic():
        _create_table(table, owner=owner, print_line=print_line)


def _create_table(table: DemoTable, *, owner: User, print_line: PrintLine | None = None) -> None:
    from tables.operations import Origin
    from tables.services import add_rows, create_table, update_view_settings

    origin = Origin(source="import")
    created = create_table(
        user=owner,
        name=table.name,
        description=table.description,
        columns=list(table.columns),
        # Files belong to an existing table.
        rows=[] if table.files else list(table.rows[:BATCH_SIZE]),
        origin=origin,
    )
    rows = _with_files(table, table_id=created.id, owner=owner) if table.files else list(table.rows)
    for start in range(0 if table.files else BATCH_SIZE, len(rows), BATCH_SIZE):
        if print_line:
            print_line(f"  {table.name}: {start:,} of {len(rows):,} rows")
        batch = rows[start : start + BATCH_SIZE]
        add_rows(user=owner, table_id=created.id, rows=batch, origin=origin)
    if table.widths:
        update_view_settings(user=owner, table_id=created.id, settings={"widths": dict(table.widths), "hidden": []})


def _with_files(table: DemoTable, *, table_id: int, owner: User) -> list[Row]:
    """Upload the files of a table and return its rows with them; without files if the storage is unavailable."""
    from tables.exceptions import Unavailable
    from tables.services import create_thumbnail, upload_file

    rows = [dict(row) for row in table.rows]
    try:
        for (index, column), file in table.files.items():
            content = ContentFile(file.content)
            stored = upload_file(user=owner, table_id=table_id, name=file.name, content=content)
            create_thumbnail(stored.content_id)
            rows[index][column] = [{"id": stored.content_id}]
    except Unavailable:
        return [dict(row) for row in table.rows]
    return rows


def collect_static(*, print_line: PrintLine) -> None:
    """Collect the static files if one of them has changed since the last time."""
    stamp = Path(settings.DATA_DIR) / "static.json"
    current = {"sources": sources_digest(), "root": str(settings.STATIC_ROOT)}
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    try:
        is_current = manifest.exists() and json.loads(stamp.read_text(encoding="utf-8")) == current
    except (OSError, ValueError):
        is_current = False
    if is_current:
        return
    print_line("Collecting static files …")
    call_command("collectstatic", interactive=False, verbosity=0)
    stamp.write_text(json.dumps(current), encoding="utf-8")


def sources_digest() -> str:
    """Return a digest of the names, sizes and modification times of all static source files."""
    digest = hashlib.sha256(django.get_version().encode())
    for name, path in sorted(source_files()):
        status = path.stat()
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
