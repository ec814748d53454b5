from django.db import migrations, transaction

COUNT = """
UPDATE tables_table SET counted_version = version, counted_rows =
 (SELECT count(*) FROM tables_row WHERE tables_row.table_id = tables_table.id AND tables_row.deleted_at IS NULL)
 WHERE id = %s
"""


def count(apps, schema_editor):
    """One table a transaction: nobody who writes waits longer than one table takes to be counted."""
    tables = apps.get_model('tables', 'Table').objects.filter(counted_version=None)
    for pk in list(tables.values_list('pk', flat=True)):
        with transaction.atomic(), schema_editor.connection.cursor() as cursor:
            # First the lock, then a statement of its own: one that waits would count what was there before it waited.
            tables.select_for_update().filter(pk=pk).first()
            cursor.execute(COUNT, [pk])


class Migration(migrations.Migration):

    # Not together with the new columns, which nobody may look at while they are made.
    atomic = False

    dependencies = [
        ('tables', '0007_counted_rows'),
    ]

    operations = [
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
