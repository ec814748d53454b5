from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0014_resolutions'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='tokenuse',
            options={'verbose_name': 'tokens by day', 'verbose_name_plural': 'tokens by day'},
        ),
    ]
