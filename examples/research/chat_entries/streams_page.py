"""The page with all streams of the user."""
from chat.actions import ClientAction
from chat.page_config import ContextBlock, PageConfig, PageContext, register_page
from examples.research.chat_entries.tools import parameters
from examples.research.streams import streams_for

IDENTITY = """\
You are the assistant on the list of the user's research streams. A stream follows one question: it collects articles
from PubMed. Help the user to find a stream, or to describe a new one.\
"""


def build_context(context: PageContext) -> ContextBlock:
    """Return the user's streams."""
    streams = list(streams_for(context.user).values("id", "name", "purpose")[:100])
    return ContextBlock(text="The user is viewing the list of streams.", data={"streams": streams})


register_page(
    PageConfig(
        page="streams",
        identity=IDENTITY,
        context_builder=build_context,
        client_actions=(
            ClientAction(
                action="fill_form",
                description="Fills in the form for a new stream, which the user then creates.",
                parameters=("name", "purpose"),
                schema=parameters(
                    name={"type": "string", "maxLength": 100},
                    purpose={"type": "string", "maxLength": 1000},
                ),
                may_run=True,
            ),
        ),
        help=("research",),
        starters=("Which articles are about memory?", "Create a stream about sleep and memory"),
    )
)
