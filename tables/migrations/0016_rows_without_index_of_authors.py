"""Drop the index of the users who added rows: each new row had to be entered, and only the deletion of a user read it."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

INDEX = '"tables_row_created_by_id_48ef76db"'


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0015_former_members'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    # Not only `AlterField`, for which SQLite would copy all rows.
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f'DROP INDEX IF EXISTS {INDEX}',
                    f'CREATE INDEX IF NOT EXISTS {INDEX} ON "tables_row" ("created_by_id")',
                ),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name='row',
                    name='created_by',
                    field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='rows_created', to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
    ]
