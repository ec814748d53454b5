"""Partition the rows by their table on PostgreSQL, if there are none; otherwise see `manage.py partition_rows`."""
from django.db import migrations

from tables.services.partitions import ROWS, partition_empty


def partition(apps, schema_editor):
    """Partition an empty database. Existing rows are moved by the command, while servers run."""
    if schema_editor.connection.vendor == 'postgresql':
        with schema_editor.connection.cursor() as cursor:
            partition_empty(cursor, ROWS)


class Migration(migrations.Migration):

    dependencies = [('tables', '0007_row_keys')]

    # Later migrations and all statements work with one relation as well.
    operations = [migrations.RunPython(partition, migrations.RunPython.noop)]
