"""Kept answers are cleared away by key and, of all people together, by age: an index by person serves nobody."""
from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_name_of_tokens")]

    operations = [migrations.RemoveIndex(model_name="keptanswer", name="kept_answers_by_age")]
