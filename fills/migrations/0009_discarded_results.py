from django.db import migrations, models


def mark_discarded_results(apps, schema_editor):
    """Only found values can have had corrections, so that empty results with some were discarded."""
    results = apps.get_model('fills', 'Result').objects.using(schema_editor.connection.alias)
    discarded = results.filter(state='empty', fill__standing__isnull=False).exclude(corrections={})
    discarded.update(state='discarded', corrections={}, confidence='', note='')


class Migration(migrations.Migration):

    dependencies = [
        ('fills', '0008_unseen_fills'),
    ]

    operations = [
        migrations.AddField(
            model_name='modelwait',
            name='failures',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name='result',
            name='state',
            field=models.CharField(choices=[('waiting', 'Waiting'), ('working', 'Working'), ('found', 'Found'), ('empty', 'Empty'), ('failed', 'Failed'), ('discarded', 'Discarded')], default='waiting', max_length=16),
        ),
        migrations.RunPython(mark_discarded_results, migrations.RunPython.noop),
    ]
