from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0006_imports'),
    ]

    operations = [
        migrations.AddField(
            model_name='table',
            name='counted_rows',
            field=models.PositiveBigIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='counted_version',
            field=models.PositiveBigIntegerField(editable=False, null=True),
        ),
    ]
