"""Discarded drafts of the configuration can be restored."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("chat", "0008_deleted_prompt_tests")]

    operations = [
        migrations.RemoveConstraint(model_name="configurationdraft", name="one_draft_per_user_and_entry"),
        migrations.AddField(
            model_name="configurationdraft",
            name="discarded_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="configurationdraft",
            constraint=models.UniqueConstraint(
                fields=["user", "kind", "name"],
                condition=models.Q(discarded_at=None),
                name="one_draft_per_user_and_entry",
            ),
        ),
    ]
