"""Texts for users in scripts go through `t` and `tn`, as literals that extraction finds."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from chatproject.translation.extraction import found_by_scripts
from tests.architecture.script_texts import ScriptText, texts_in
from tests.architecture.tree import ROOT, own_files, text_of

WHOLE_NAME = r"(?<![\w$])(?<!(?<!\.\.)\.)"  # not the end of a longer name, not a method; after a spread operator
TRANSLATED = re.compile(rf'{WHOLE_NAME}(?:tn?\(\s*|tn\(\s*"(?:\\.|[^"\\])*",\s*)$')
CALLED = re.compile(rf"{WHOLE_NAME}(tn?)\(")
CALL = re.compile(rf"{WHOLE_NAME}tn?\(\s*(?!\s*\")")
CAPITAL = re.compile(r"^[\s“(]*[A-Z][a-z]")
# Words that occur in sentences, but not in names of classes or codes.
SMALL_WORDS = set(
    "a about all an and are at be been by can cannot could did do does for from had has have how if in is it its many "
    "more most no not of on or so some that the their there these they this those to too was were what which will with "
    "would you your".split()
)
IN_A_SENTENCE = re.compile(r"(?<!\S)[“(]?([A-Za-z]+(?:['’][a-z]+)?)[,.:;?…”)]*(?!\S)")
# Names of keys and headers.
NAMES = set(
    "Alt Alt+ArrowDown ArrowDown ArrowLeft ArrowRight ArrowUp Backspace Content-Type ContextMenu Delete End Enter "
    "Escape Home Idempotency-Key PageDown PageUp Retry-After Shift ShiftTab Tab".split()
)
# Before class names, selectors and texts for developers.
CODE = re.compile(
    r"""(?:\bclass: |icon\("[a-z-]+", |querySelector(?:All)?\(|closest\(|matches\(|console\.\w+\(|new Error\()$"""
)


def scripts() -> dict[str, str]:
    paths = [path for path in own_files(".js") if path.parts[0] == "static"]
    return {str(path): text_of(path) for path in paths if path.name != "locale.js"}


def looks_like_words(text: str) -> bool:
    """Return whether a text begins like a sentence or has words that only sentences have."""
    if text.strip() in NAMES or re.search(r"[=/\[\]#]|^\.", text):
        return False
    words = IN_A_SENTENCE.findall(text)
    return bool(CAPITAL.match(text)) or (len(words) > 1 and any(word in SMALL_WORDS for word in words))


def is_translated(text: ScriptText) -> bool:
    return TRANSLATED.search(text.before) is not None


def untranslated(script: str) -> Iterator[ScriptText]:
    for text in texts_in(script):
        if (
            not is_translated(text)
            and not CODE.search(text.before)
            and any(map(looks_like_words, (*text.pieces, text.whole)))
        ):
            yield text


SAMPLES = {
    "a label": ('el("button", { text: "Sort" })', ["Sort"]),
    "a sentence around a value": ("toast(`${count} rows are gone`)", ["{} rows are gone"]),
    "a sentence within another": ('`${late ? "Too late" : ""}`', ["Too late"]),
    "words beside translated words": ('[t("Yes"), "No"]', ["No"]),
    "translated words": ('toast(t("Nothing was saved. {reason}", { reason }))', []),
    "both forms of a number": ('tn("{count} row is gone", "{count} rows are gone", count)', []),
    "after a spread operator": ('[...t("In a row").split(" ")]', []),
    "another function with the same ending": ('alert("Too late")', ["Too late"]),
    "classes and codes": ('el("p", { class: "btn is-on" }, code === "not_chosen")', []),
    "keys": ('event.key === "ArrowDown"', []),
    "comments and patterns": ('// the "Old way"\nconst quote = /["]The end["]/;', []),
}


@pytest.mark.parametrize(("script", "found"), SAMPLES.values(), ids=SAMPLES)
def test_untranslated_words_are_recognized(script: str, found: list[str]) -> None:
    assert [text.whole for text in untranslated(script)] == found


def test_every_text_for_users_is_translated() -> None:
    found = [f"{path}:{text.line}: {text.whole}" for path, script in scripts().items() for text in untranslated(script)]
    assert found == []


def test_every_script_imports_the_translating_functions_it_calls() -> None:
    """Browsers report a missing import only when the function is called."""
    missing = []
    for path, script in scripts().items():
        imported = re.search(r'^import \{([^}]*)\} from "[^"]*/locale\.js";', script, re.MULTILINE)
        names = set(re.findall(r"\w+", imported[1])) if imported else set()
        used = {name for text in texts_in(script) if is_translated(text) for name in CALLED.findall(text.before)[-1:]}
        missing += [f"{path}: {name}" for name in sorted(used - names)]
    assert missing == []


def test_every_translated_text_is_extracted() -> None:
    extracted = {part for message in found_by_scripts(root=ROOT) if message.id for part in parts_of(message.id)}
    texts = [(path, text) for path, script in scripts().items() for text in texts_in(script) if is_translated(text)]
    assert texts
    missed = [f"{path}:{text.line}: {text.whole}" for path, text in texts if unescaped(text.whole) not in extracted]
    assert missed == []


def parts_of(found: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else tuple(found)


def unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def test_translating_functions_are_called_with_literals() -> None:
    """Extraction does not find texts in variables or expressions."""
    without_texts = {
        path: re.sub(r"//[^\n]*|/\*.*?\*/", "", script, flags=re.DOTALL) for path, script in scripts().items()
    }
    found = [
        f"{path}: {script[call.start() : call.start() + 60]}"
        for path, script in without_texts.items()
        for call in CALL.finditer(script)
    ]
    assert found == []
