"""The files of a language: what is wrong with one is said, what is made of one is read by gettext and by scripts."""
from __future__ import annotations

import json
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from chatproject.translation.catalogs import as_mo, as_po, as_script, faults, merged, read
from chatproject.translation.extraction import found_by_scripts, found_by_server

ROWS = ("{count} row", "{count} rows")


def catalog(texts: dict[str | tuple[str, str], str | tuple[str, str]], *, code: str = "de") -> Catalog:
    made = Catalog(locale=code)
    for id_, said in texts.items():
        made.add(id_, said)
    return made


def sources(root: Path, **files: str) -> Path:
    for name, text in files.items():
        folder, suffix = {"py": ("tables", ".py"), "html": ("templates", ".html"), "js": ("static", ".js")}[name]
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / f"one{suffix}").write_text(text, encoding="utf-8")
    return root


def test_texts_are_found_in_python_templates_and_scripts(tmp_path: Path) -> None:
    root = sources(
        tmp_path,
        py='_("Saved.")\nnoop("Newest")\npgettext("of a day", "M j")\n',
        html='{% load i18n %}\n  <p title="{% translate \'Tables\' %}">'
        "{% blocktranslate with name=x %}Back to {{ name }}{% endblocktranslate %}</p>",
        js='t("Close"); tn("{count} row", "{count} rows", n, { x: "no text" });',
    )
    server = found_by_server(root=root)
    assert [server.get(text) is not None for text in ("Saved.", "Newest", "Tables", "Back to %(name)s")] == [True] * 4
    assert server.get("M j", context="of a day") is not None
    assert [message.id for message in found_by_scripts(root=root) if message.id] == ["Close", ROWS]


WRONG = {
    "missing": ({}, "not translated: Open {name}"),
    "empty": ({"Open {name}": ""}, "not translated: Open {name}"),
    "another place": ({"Open {name}": "{title} öffnen"}, "placeholders do not match the source: Open {name}"),
    "no place": ({"Open {name}": "Öffnen"}, "placeholders do not match the source: Open {name}"),
    "markup": ({"Open {name}": "<b>{name}</b> öffnen"}, "tags do not match the source: Open {name}"),
    "stale": ({"Open {name}": "{name} öffnen", "Shut": "Zu"}, "no longer in the source code: Shut"),
}


@pytest.mark.parametrize(("texts", "told"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said(texts: dict[str | tuple[str, str], str | tuple[str, str]], told: str) -> None:
    assert list(faults(catalog(texts), found=catalog({"Open {name}": ""}))) == [told]


def test_what_is_in_doubt_is_said_and_not_used() -> None:
    doubtful = catalog({"Close": "Nah"})
    doubtful["Close"].flags.add("fuzzy")
    assert list(faults(doubtful, found=catalog({"Close": ""}))) == ["fuzzy: Close"]
    assert "Nah" not in as_script(doubtful, code="de")


def test_what_was_translated_stays_and_what_is_gone_goes(tmp_path: Path) -> None:
    known = catalog({"Close": "Schließen", "Gone": "Weg", ROWS: ("{count} Zeile", "{count} Zeilen")})
    kept = merged(known, found=catalog({"Close": "", "New": "", ROWS: ("", "")}))
    written = tmp_path / "django.po"
    written.write_text(as_po(kept, code="de"), encoding="utf-8")
    again = read(written, code="de")
    assert {message.id: message.string for message in again if message.id} == {
        "Close": "Schließen", "New": "", ROWS: ("{count} Zeile", "{count} Zeilen"),
    }  # fmt: skip
    assert as_po(again, code="de") == as_po(kept, code="de")


def test_gettext_reads_what_is_made_for_the_server() -> None:
    texts = catalog({"Close": "Schließen", ROWS: ("{count} Zeile", "{count} Zeilen")})
    texts.add("M j", "j. M", context="of a day")
    told = GNUTranslations(BytesIO(as_mo(texts, code="de")))
    assert (told.gettext("Close"), told.gettext("M j")) == ("Schließen", "M j")
    assert told.pgettext("of a day", "M j") == "j. M"
    one, many = "{count} Zeile", "{count} Zeilen"
    assert [told.ngettext(*ROWS, number) for number in (0, 1, 2)] == [many, one, many]


def test_scripts_get_each_plural_by_the_category_of_the_language() -> None:
    told = as_script(catalog({ROWS: ("{count} Zeile", "{count} Zeilen"), "Close “it”": "Zu \"'</script>"}), code="de")
    words = json.loads(told[told.index("{") : told.rindex("}") + 1])
    assert words["{count} row\0{count} rows"] == {"one": "{count} Zeile", "other": "{count} Zeilen"}
    assert words["Close “it”"] == "Zu \"'</script>"


def test_a_language_with_more_plurals_has_them_all() -> None:
    polish = catalog({ROWS: ("wiersz", "wiersze", "wierszy")}, code="pl")  # type: ignore[dict-item]  # three of them
    told = as_script(polish, code="pl")
    words = json.loads(told[told.index("{") : told.rindex("}") + 1])["{count} row\0{count} rows"]
    assert (words["one"], words["few"], words["many"]) == ("wiersz", "wiersze", "wierszy")
