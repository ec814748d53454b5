from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0009_leavers")]
    operations = [
        migrations.AddField(
            model_name="profile",
            name="language",
            field=models.CharField(blank=True, default="", max_length=10),
            preserve_default=False,
        ),
    ]
