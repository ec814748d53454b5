"""Make updates of results cheaper: fewer indexes, and on PostgreSQL free space in pages for new versions of rows."""
import django.db.models.deletion
from django.db import migrations, models


def leave_space(apps, schema_editor):
    """Leave 40 % of new pages free: a result is updated three times, at best within its page."""
    if schema_editor.connection.vendor == 'postgresql':
        table = apps.get_model('fills', 'Result')._meta.db_table
        schema_editor.execute(f'ALTER TABLE {table} SET (fillfactor = 60)')


def use_all_space(apps, schema_editor):
    if schema_editor.connection.vendor == 'postgresql':
        table = apps.get_model('fills', 'Result')._meta.db_table
        schema_editor.execute(f'ALTER TABLE {table} RESET (fillfactor)')


class Migration(migrations.Migration):

    dependencies = [
        ('fills', '0009_discarded_results'),
    ]

    operations = [
        migrations.AlterField(
            model_name='result',
            name='batch',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='results', to='fills.batch'),
        ),
        migrations.AlterField(
            model_name='result',
            name='fill',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='results', to='fills.fill'),
        ),
        migrations.AddIndex(
            model_name='result',
            index=models.Index(condition=models.Q(('batch__isnull', False)), fields=['batch'], name='results_of_batches'),
        ),
        migrations.RunPython(leave_space, use_all_space),
    ]
