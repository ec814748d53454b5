import shared.strictjson
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0009_running_numbers'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='row',
            name='rows_by_cells',
        ),
        migrations.RemoveField(
            model_name='row',
            name='cells_hash',
        ),
        # The encoder changes nothing in the database, but SQLite would copy all rows.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='row',
                    name='data',
                    field=models.JSONField(default=dict, encoder=shared.strictjson.CanonicalEncoder),
                ),
            ],
        ),
    ]
