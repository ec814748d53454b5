from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("accounts", "0013_allauth")]

    operations = [
        migrations.DeleteModel(name="MailAddress"),
        migrations.DeleteModel(name="OpenSession"),
    ]
