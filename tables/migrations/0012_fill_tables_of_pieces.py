"""Fill the table of existing change pieces and staged rows, in short transactions; continues after an interruption."""
from django.db import migrations, transaction

BATCH = 10_000
SOURCES = (
    ('tables_changepiece', 'SELECT table_id FROM tables_change WHERE id = change_id'),
    ('tables_stagedrows', 'SELECT COALESCE(table_id, -id) FROM tables_import WHERE id = imported_id'),
)


def fill(apps, schema_editor):
    """Update the rows in order of id."""
    connection = schema_editor.connection
    for relation, source in SOURCES:
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT min(id), max(id) FROM {relation} WHERE table_id IS NULL')
            first, last = cursor.fetchone()
            while first is not None and first <= last:
                with transaction.atomic(using=connection.alias):
                    cursor.execute(
                        f'UPDATE {relation} SET table_id = ({source})'
                        ' WHERE id >= %s AND id < %s AND table_id IS NULL',
                        [first, first + BATCH],
                    )
                first += BATCH
                print(f'\n    {relation}: {max(last - first, 0):,} ids left', end='', flush=True)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [('tables', '0011_tables_of_pieces')]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
