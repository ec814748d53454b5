"""Partition change pieces and staged rows by their table on PostgreSQL, as `0008_row_partitions` does with rows."""
import django.db.models.deletion
from django.db import migrations, models

from tables.services.partitions import PIECES, STAGED, partition_empty


def is_postgresql(schema_editor):
    """Return whether the database has partitions. On SQLite the constraints cost little, and dropping copies all."""
    return schema_editor.connection.vendor == 'postgresql'


class AlterFieldOnPostgresql(migrations.AlterField):

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if is_postgresql(schema_editor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class RemoveConstraintOnPostgresql(migrations.RemoveConstraint):

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if is_postgresql(schema_editor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class AddConstraintOnPostgresql(migrations.AddConstraint):

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if is_postgresql(schema_editor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


def partition(apps, schema_editor):
    """Partition an empty database. Existing rows are moved by the command, while servers run."""
    if is_postgresql(schema_editor):
        with schema_editor.connection.cursor() as cursor:
            for relation in (PIECES, STAGED):
                partition_empty(cursor, relation)


class Migration(migrations.Migration):

    dependencies = [('tables', '0012_fill_tables_of_pieces')]

    operations = [
        AlterFieldOnPostgresql(
            model_name='changepiece',
            name='change',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='stored_pieces', to='tables.change'),
        ),
        AlterFieldOnPostgresql(
            model_name='stagedrows',
            name='imported',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tables.import'),
        ),
        RemoveConstraintOnPostgresql(model_name='changepiece', name='pieces_in_order'),
        AddConstraintOnPostgresql(
            model_name='changepiece',
            constraint=models.UniqueConstraint(fields=('table', 'change', 'index'), name='pieces_in_order'),
        ),
        RemoveConstraintOnPostgresql(model_name='stagedrows', name='staged_rows_in_order'),
        AddConstraintOnPostgresql(
            model_name='stagedrows',
            constraint=models.UniqueConstraint(fields=('table_id', 'imported', 'index'), name='staged_rows_in_order'),
        ),
        migrations.RunPython(partition, migrations.RunPython.noop),
    ]
