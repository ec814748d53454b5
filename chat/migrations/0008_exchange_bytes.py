from django.db import migrations

import chat.models.conversations
from shared import strictjson

AT_ONCE = 500


def measure(apps, schema_editor):
    """The sizes of the messages that are there; read in pieces, so that memory does not grow with them."""
    messages = apps.get_model("chat", "Message").objects.using(schema_editor.connection.alias)
    last = None
    while True:
        rest = messages.order_by("pk") if last is None else messages.order_by("pk").filter(pk__gt=last)
        some = list(rest.only("pk", "exchange")[:AT_ONCE])
        if not some:
            return
        for message in some:
            message.exchange_bytes = strictjson.size_of(message.exchange)
        messages.bulk_update(some, ["exchange_bytes"])
        last = some[-1].pk


class Migration(migrations.Migration):

    dependencies = [
        ("chat", "0007_configuration"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="exchange_bytes",
            field=chat.models.conversations.ExchangeSize(default=0, editable=False),
        ),
        migrations.RunPython(measure, migrations.RunPython.noop, elidable=True),
    ]
