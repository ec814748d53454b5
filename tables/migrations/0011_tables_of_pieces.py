"""Add the table to change pieces and staged rows, also to those that processes of the previous release still write."""
import django.db.models.deletion
from django.db import migrations, models

SOURCES = (
    ('tables_changepiece', 'SELECT table_id FROM tables_change WHERE id = NEW.change_id'),
    ('tables_stagedrows', 'SELECT COALESCE(table_id, -id) FROM tables_import WHERE id = NEW.imported_id'),
)


def create_triggers(apps, schema_editor):
    """Create triggers. On PostgreSQL they end with the relations, which partitions replace."""
    for relation, source in SOURCES:
        name = f'{relation}_table'
        if schema_editor.connection.vendor == 'postgresql':
            schema_editor.execute(
                f'CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS'
                f' $$ BEGIN NEW.table_id := ({source}); RETURN NEW; END $$'
            )
            schema_editor.execute(
                f'CREATE TRIGGER {name} BEFORE INSERT ON {relation} FOR EACH ROW WHEN (NEW.table_id IS NULL)'
                f' EXECUTE FUNCTION {name}()'
            )
        else:
            schema_editor.execute(
                f'CREATE TRIGGER {name} AFTER INSERT ON {relation} WHEN NEW.table_id IS NULL BEGIN'
                f' UPDATE {relation} SET table_id = ({source}) WHERE id = NEW.id; END'
            )


class Migration(migrations.Migration):

    dependencies = [('tables', '0010_equal_rows_without_hash')]

    operations = [
        migrations.AddField(
            model_name='changepiece',
            name='table',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tables.table'),
        ),
        migrations.AddField(
            model_name='stagedrows',
            name='table_id',
            field=models.BigIntegerField(null=True),
        ),
        migrations.RunPython(create_triggers, migrations.RunPython.noop),
    ]
