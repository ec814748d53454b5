"""Translation catalogues: extraction, errors, and the files for gettext and scripts."""
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
    result = Catalog(locale=code)
    for id_, translation in texts.items():
        result.add(id_, translation)
    return result


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


INVALID = {
    "missing": ({}, "not translated: Open {name}"),
    "empty": ({"Open {name}": ""}, "not translated: Open {name}"),
    "other placeholder": ({"Open {name}": "{title} öffnen"}, "placeholders do not match the source: Open {name}"),
    "no placeholder": ({"Open {name}": "Öffnen"}, "placeholders do not match the source: Open {name}"),
    "markup": ({"Open {name}": "<b>{name}</b> öffnen"}, "tags do not match the source: Open {name}"),
    "stale": ({"Open {name}": "{name} öffnen", "Shut": "Zu"}, "no longer in the source code: Shut"),
}


@pytest.mark.parametrize(("texts", "error"), INVALID.values(), ids=INVALID.keys())
def test_invalid_translations_are_reported(
    texts: dict[str | tuple[str, str], str | tuple[str, str]], error: str
) -> None:
    assert list(faults(catalog(texts), found=catalog({"Open {name}": ""}))) == [error]


def test_fuzzy_translations_are_reported_and_not_used() -> None:
    doubtful = catalog({"Close": "Nah"})
    doubtful["Close"].flags.add("fuzzy")
    assert list(faults(doubtful, found=catalog({"Close": ""}))) == ["fuzzy: Close"]
    assert "Nah" not in as_script(doubtful, code="de")


def test_merging_keeps_translations_and_removes_stale_texts(tmp_path: Path) -> None:
    stored = catalog({"Close": "Schließen", "Gone": "Weg", ROWS: ("{count} Zeile", "{count} Zeilen")})
    result = merged(stored, found=catalog({"Close": "", "New": "", ROWS: ("", "")}))
    path = tmp_path / "django.po"
    path.write_text(as_po(result, code="de"), encoding="utf-8")
    reread = read(path, code="de")
    assert {message.id: message.string for message in reread if message.id} == {
        "Close": "Schließen", "New": "", ROWS: ("{count} Zeile", "{count} Zeilen"),
    }  # fmt: skip
    assert as_po(reread, code="de") == as_po(result, code="de")


def test_gettext_reads_the_compiled_catalogue() -> None:
    texts = catalog({"Close": "Schließen", ROWS: ("{count} Zeile", "{count} Zeilen")})
    texts.add("M j", "j. M", context="of a day")
    translations = GNUTranslations(BytesIO(as_mo(texts, code="de")))
    assert (translations.gettext("Close"), translations.gettext("M j")) == ("Schließen", "M j")
    assert translations.pgettext("of a day", "M j") == "j. M"
    one, many = "{count} Zeile", "{count} Zeilen"
    assert [translations.ngettext(*ROWS, number) for number in (0, 1, 2)] == [many, one, many]


def test_scripts_get_plurals_by_category() -> None:
    script = as_script(catalog({ROWS: ("{count} Zeile", "{count} Zeilen"), "Close “it”": "Zu \"'</script>"}), code="de")
    texts = json.loads(script[script.index("{") : script.rindex("}") + 1])
    assert texts["{count} row\0{count} rows"] == {"one": "{count} Zeile", "other": "{count} Zeilen"}
    assert texts["Close “it”"] == "Zu \"'</script>"


def test_languages_with_more_plurals_have_all_forms() -> None:
    polish = catalog({ROWS: ("wiersz", "wiersze", "wierszy")}, code="pl")  # type: ignore[dict-item]  # three of them
    script = as_script(polish, code="pl")
    texts = json.loads(script[script.index("{") : script.rindex("}") + 1])["{count} row\0{count} rows"]
    assert (texts["one"], texts["few"], texts["many"]) == ("wiersz", "wiersze", "wierszy")
