"""Payload types that the script of the page draws: results of a search, and the articles of a report in groups."""
from chat.payload_types import PayloadType, register_payload_type

GROUP = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "article_ids": {"type": "array", "minItems": 1, "items": {"type": "integer"}},
    },
    "required": ["title", "article_ids"],
    "additionalProperties": False,
}

register_payload_type(
    PayloadType(
        name="pubmed_articles",
        description="Articles that PubMed has found.",
        source="tool",
        schema={
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "count": {"type": "integer"},
                "articles": {"type": "array", "items": {"type": "object", "required": ["pmid", "title"]}},
            },
            "required": ["query", "count", "articles"],
        },
        llm_instructions=(
            "When search_pubmed has run, the user sees the articles in a panel. Do not list them again; say in a "
            "sentence whether the query fits the purpose of the stream, and how to improve it."
        ),
        frontend_config={"panel_width": "640px", "title": "PubMed", "icon": "search"},
        summarize=lambda data: f"{data['count']} articles in PubMed for “{data['query']}”",
    )
)
register_payload_type(
    PayloadType(
        name="article_groups",
        description="The articles of a report in groups.",
        source="llm",
        parse_marker="ARTICLE_GROUPS:",
        schema={
            "type": "object",
            "properties": {"groups": {"type": "array", "minItems": 1, "maxItems": 9, "items": GROUP}},
            "required": ["groups"],
            "additionalProperties": False,
        },
        llm_instructions="""\
ARTICLE_GROUPS - when the user asks to sort, group or categorize the articles of the open report:

ARTICLE_GROUPS: {"groups": [{"title": "Naps", "article_ids": [3, 8]}]}

Use the ids from the current context. Each article is in one group.\
""",
        frontend_config={"panel_width": "480px", "title": "Groups", "icon": "list"},
        summarize=lambda data: "Groups: " + ", ".join(group["title"] for group in data["groups"]),
    )
)
