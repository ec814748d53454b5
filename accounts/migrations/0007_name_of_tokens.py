from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0006_open_sessions'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='apitoken',
            options={'verbose_name': 'API token'},
        ),
    ]
