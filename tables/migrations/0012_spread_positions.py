"""Positions of rows lie apart from now on, so that others find room between them."""
from django.db import migrations

STEP = 2**20


class Migration(migrations.Migration):
    # `next_position` stays: it counts rows, and a position is that many steps.

    dependencies = [
        ('tables', '0011_names_become_invitations'),
    ]

    operations = [
        migrations.RunSQL(
            f'UPDATE tables_row SET position = position * {STEP}',
            f'UPDATE tables_row SET position = position / {STEP}',
        ),
    ]
