"""Positions of rows lie apart from now on, so that others find room between them."""
from django.db import migrations, transaction

STEP = 2**20
# The tables that are done, until 0014 drops it: a run that was interrupted goes on with the others.
DONE = 'tables_spread_positions'


def spread(apps, schema_editor):
    """One table a transaction, which also notes that it is done."""
    connection = schema_editor.connection
    tables = apps.get_model('tables', 'Table').objects.using(connection.alias)
    with connection.cursor() as cursor:
        cursor.execute(f'CREATE TABLE IF NOT EXISTS {DONE} (table_id bigint PRIMARY KEY)')
        cursor.execute(f'SELECT table_id FROM {DONE}')
        done = {table_id for table_id, in cursor.fetchall()}
        for table_id in tables.order_by('pk').values_list('pk', flat=True):
            if table_id in done:
                continue
            with transaction.atomic(using=connection.alias):
                cursor.execute(f'INSERT INTO {DONE} VALUES (%s)', [table_id])
                cursor.execute(f'UPDATE tables_row SET position = position * {STEP} WHERE table_id = %s', [table_id])


def close_up(apps, schema_editor):
    """All tables at once: going back is rare, and so needs no notes."""
    connection = schema_editor.connection
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(f'DROP TABLE IF EXISTS {DONE}')
        cursor.execute(f'UPDATE tables_row SET position = position / {STEP}')


class Migration(migrations.Migration):
    # `next_position` stays: it counts rows, and a position is that many steps.
    atomic = False

    dependencies = [
        ('tables', '0011_names_become_invitations'),
    ]

    operations = [
        migrations.RunPython(spread, close_up),
    ]
