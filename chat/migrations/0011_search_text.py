from django.db import migrations

import chat.models.conversations

AT_ONCE = 500


def fold(apps, schema_editor):
    """The texts of the messages that are there; read in pieces, so that memory does not grow with them."""
    messages = apps.get_model("chat", "Message").objects.using(schema_editor.connection.alias)
    last = None
    while True:
        rest = messages.order_by("pk") if last is None else messages.order_by("pk").filter(pk__gt=last)
        some = list(rest.only("pk", "text")[:AT_ONCE])
        if not some:
            return
        for message in some:
            message.search_text = chat.models.conversations.search_text(message.text)
        messages.bulk_update(some, ["search_text"])
        last = some[-1].pk


class Migration(migrations.Migration):

    dependencies = [
        ("chat", "0010_sandbox_conversations"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="search_text",
            field=chat.models.conversations.SearchText(default="", editable=False),
        ),
        migrations.RunPython(fold, migrations.RunPython.noop, elidable=True),
    ]
