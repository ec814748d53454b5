"""Drop the constraints of the keys of rows on PostgreSQL, which took a third of the time of adding rows."""
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class AlterFieldOnPostgresql(migrations.AlterField):
    """On SQLite the constraints cost little, and dropping them would copy all rows."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor == 'postgresql':
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0006_column_settings'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AlterFieldOnPostgresql(
            model_name='row',
            name='table',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='tables.table'),
        ),
        AlterFieldOnPostgresql(
            model_name='row',
            name='created_by',
            field=models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='rows_created', to=settings.AUTH_USER_MODEL),
        ),
        AlterFieldOnPostgresql(
            model_name='row',
            name='updated_by',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='rows_updated', to=settings.AUTH_USER_MODEL),
        ),
    ]
