"""What people read or hear of scripts is said through `t` and `tn`, in a form that is found and can be translated."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from chatproject.translating.extraction import found_by_scripts
from tests.architecture.script_texts import ScriptText, texts_in
from tests.architecture.tree import ROOT, own_files, text_of

NOT_A_PART = r"(?<![\w$])(?<!(?<!\.\.)\.)"  # neither the end of a longer name nor a method; three dots may come before
SAID = re.compile(rf'{NOT_A_PART}(?:tn?\(\s*|tn\(\s*"(?:\\.|[^"\\])*",\s*)$')
CALLED = re.compile(rf"{NOT_A_PART}(tn?)\(")
CALL = re.compile(rf"{NOT_A_PART}tn?\(\s*(?!\s*\")")
CAPITAL = re.compile(r"^[\s“(]*[A-Z][a-z]")
# Words of sentences, as neither names of classes nor codes have them.
SMALL_WORDS = set(
    "a about all an and are at be been by can cannot could did do does for from had has have how if in is it its many "
    "more most no not of on or so some that the their there these they this those to too was were what which will with "
    "would you your".split()
)
IN_A_SENTENCE = re.compile(r"(?<!\S)[“(]?([A-Za-z]+(?:['’][a-z]+)?)[,.:;?…”)]*(?!\S)")
# Names that browsers, requests and cookies have for things.
NAMES = set(
    "Alt Alt+ArrowDown ArrowDown ArrowLeft ArrowRight ArrowUp Backspace Content-Type ContextMenu Delete End Enter "
    "Escape Home Idempotency-Key PageDown PageUp Retry-After Shift ShiftTab Tab".split()
)
# Names of classes, what is looked for in the page, and what only developers read.
CODE = re.compile(
    r"""(?:\bclass: |icon\("[a-z-]+", |querySelector(?:All)?\(|closest\(|matches\(|console\.\w+\(|new Error\()$"""
)


def scripts() -> dict[str, str]:
    paths = [path for path in own_files(".js") if path.parts[0] == "static"]
    return {str(path): text_of(path) for path in paths if path.name != "locale.js"}


def looks_like_words(text: str) -> bool:
    """A text that begins as a sentence does, or has words that only sentences have."""
    if text.strip() in NAMES or re.search(r"[=/\[\]#]|^\.", text):
        return False
    words = IN_A_SENTENCE.findall(text)
    return bool(CAPITAL.match(text)) or (len(words) > 1 and any(word in SMALL_WORDS for word in words))


def is_said(text: ScriptText) -> bool:
    return SAID.search(text.before) is not None


def unsaid(script: str) -> Iterator[ScriptText]:
    for text in texts_in(script):
        if (
            not is_said(text)
            and not CODE.search(text.before)
            and any(map(looks_like_words, (*text.pieces, text.whole)))
        ):
            yield text


SAMPLES = {
    "a label": ('el("button", { text: "Sort" })', ["Sort"]),
    "a sentence around a value": ("toast(`${count} rows are gone`)", ["{} rows are gone"]),
    "a sentence within another": ('`${late ? "Too late" : ""}`', ["Too late"]),
    "words beside words that are said": ('[t("Yes"), "No"]', ["No"]),
    "words that are said": ('toast(t("Nothing was saved. {reason}", { reason }))', []),
    "both forms of a number": ('tn("{count} row is gone", "{count} rows are gone", count)', []),
    "after three dots": ('[...t("In a row").split(" ")]', []),
    "another function that ends alike": ('alert("Too late")', ["Too late"]),
    "classes and codes": ('el("p", { class: "btn is-on" }, code === "not_chosen")', []),
    "keys": ('event.key === "ArrowDown"', []),
    "comments and patterns": ('// the "Old way"\nconst quote = /["]The end["]/;', []),
}


@pytest.mark.parametrize(("script", "found"), SAMPLES.values(), ids=SAMPLES)
def test_words_are_told_from_codes(script: str, found: list[str]) -> None:
    assert [text.whole for text in unsaid(script)] == found


def test_what_people_read_is_said_through_t() -> None:
    found = [f"{path}:{text.line}: {text.whole}" for path, script in scripts().items() for text in unsaid(script)]
    assert found == []


def test_who_says_something_has_fetched_the_words_for_it() -> None:
    """Browsers only notice when it is said."""
    missing = []
    for path, script in scripts().items():
        fetched = re.search(r'^import \{([^}]*)\} from "[^"]*/locale\.js";', script, re.MULTILINE)
        names = set(re.findall(r"\w+", fetched[1])) if fetched else set()
        used = {name for text in texts_in(script) if is_said(text) for name in CALLED.findall(text.before)[-1:]}
        missing += [f"{path}: {name}" for name in sorted(used - names)]
    assert missing == []


def test_every_text_that_is_said_is_found_for_the_translators() -> None:
    known = {part for message in found_by_scripts(root=ROOT) if message.id for part in parts_of(message.id)}
    said = [(path, text) for path, script in scripts().items() for text in texts_in(script) if is_said(text)]
    assert said
    missed = [f"{path}:{text.line}: {text.whole}" for path, text in said if unescaped(text.whole) not in known]
    assert missed == []


def parts_of(found: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else tuple(found)


def unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def test_what_is_said_stands_there_word_for_word() -> None:
    """A text that is put together, or held elsewhere, is not found."""
    without_texts = {
        path: re.sub(r"//[^\n]*|/\*.*?\*/", "", script, flags=re.DOTALL) for path, script in scripts().items()
    }
    found = [
        f"{path}: {script[call.start() : call.start() + 60]}"
        for path, script in without_texts.items()
        for call in CALL.finditer(script)
    ]
    assert found == []
