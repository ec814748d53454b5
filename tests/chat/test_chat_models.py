"""CHAT_MODELS: the list of models with their servers and API key variables, parsed strictly."""
from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest

from chat.provider.chat_models import ChatModel, Prices, read_chat_models

ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "sk-ours",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Team: ours\n\n X-Tag : a:b ",
    "OTHER_KEY": "sk-other",
    "OTHER_HEADERS": "X-Team: other",
    "BAD_HEADERS": "X-Team: other\nsk-secret",
}
TEAM_HEADERS = (("X-Team", "ours"), ("X-Tag", "a:b"))
CLAUDE: dict[str, Any] = {"model": "big-model", "label": "Claude"}
LOCAL: dict[str, Any] = {"name": "local", "model": "qwen3", "url": "http://127.0.0.1:11434"}


def read(*entries: Any, environment: dict[str, str] | None = None) -> tuple[ChatModel, ...]:
    given = ENVIRONMENT if environment is None else environment
    return read_chat_models(json.dumps(entries), variable=lambda name: given.get(name, ""))


def test_models_are_read_with_their_servers_keys_prices_and_headers() -> None:
    priced = {**LOCAL, "name": "priced", "key": "OTHER_KEY", "headers": "OTHER_HEADERS"}
    priced |= {"price_input": 3, "price_output": "0.30"}

    assert read(CLAUDE, LOCAL, priced) == (
        ChatModel("big-model", "Claude", "big-model", "", "sk-ours", headers=TEAM_HEADERS),
        # A key and headers are for their own server only.
        ChatModel("local", "local", "qwen3", "http://127.0.0.1:11434", ""),
        ChatModel(
            "priced", "priced", "qwen3", "http://127.0.0.1:11434", "sk-other",
            Prices(Decimal(3), Decimal("0.30")), (("X-Team", "other"),),
        ),
    )  # fmt: skip


def test_empty_setting_has_no_models() -> None:
    assert read_chat_models("", variable=lambda name: "") == ()


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ([], "must be a list of 1 to 20 models"),
        (["qwen3"], "[0]: must be an object"),
        ([{"label": "x"}], "[0].model: must be the name"),
        ([CLAUDE, {**LOCAL, "base": 1}], "[1]: unknown key 'base'"),
        ([LOCAL, LOCAL], "two models have the name 'local'"),
        ([{**LOCAL, "name": "a b"}], "[0].name:"),
        ([{**LOCAL, "url": "ftp://x"}], "[0].url:"),
        ([{**LOCAL, "key": "MISSING_KEY"}], "[0]: MISSING_KEY is not set"),
        ([{**LOCAL, "headers": "X-Team: other"}], "[0].headers: must be the name of an environment variable"),
        ([{**LOCAL, "headers": "MISSING"}], "[0].headers: MISSING is not set"),
        ([{**LOCAL, "headers": "BAD_HEADERS"}], "[0].headers: BAD_HEADERS: line 2 must have"),
        ([{**LOCAL, "price_input": 3}], "[0]: set both price_input and price_output"),
        ([{**LOCAL, "price_input": -1, "price_output": 1}], "[0].price_input:"),
    ],
)
def test_invalid_list_is_refused_with_the_path(entries: list[Any], error: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(error)):
        read(*entries)


def test_key_in_the_list_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="name of an environment variable") as caught:
        read({**LOCAL, "key": "sk-secret"})
    assert "sk-secret" not in str(caught.value)


def test_claude_requires_a_key() -> None:
    with pytest.raises(ValueError, match="ANTHROPIC_API_KEY is not set"):
        read(CLAUDE, environment={})


def test_repr_hides_key_headers_and_password_of_the_url() -> None:
    secret = {"key": "OTHER_KEY", "headers": "ANTHROPIC_CUSTOM_HEADERS"}
    (model,) = read({**LOCAL, "url": "http://ada:secret@10.0.0.1:8080/path", **secret})
    assert "sk-other" not in repr(model)
    assert "ours" not in repr(model)
    assert model.server == "http://10.0.0.1:8080"
