"""Declared message templates: extraction, translation and the parameters of their calls."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import accounts
import chat
import chatproject
import tables
from chatproject.management.commands.messages import ROOT, languages
from chatproject.translation import catalogs
from shared import strictjson, user_messages
from shared.user_messages import TEMPLATES, Template
from shared.user_messages.message import MESSAGE_CONTEXT
from tests.architecture.tree import module_of, own_files, text_of

PACKAGES = (accounts, chat, chatproject, strictjson, tables, user_messages)
# The application of servers sets the garbage collector of its process to its default rate, which is slow in tests.
NOT_IMPORTED = (".migrations", ".management", "chatproject.asgi")
NAMES = {package.__name__ for package in PACKAGES}


@cache
def declared() -> list[Template]:
    """Import all modules that can declare templates, and return the templates of the project."""
    for package in PACKAGES:
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part in module.name for part in NOT_IMPORTED):
                import_module(module.name)
    # Templates declared by tests are not translated.
    codes = {call.args[0].value for _, call in declarations()}
    return [template for template in TEMPLATES.values() if template.code in codes and template.is_translated]


@cache
def declarations() -> list[tuple[Path, Any]]:
    found: list[tuple[Path, Any]] = []
    for path in own_files(".py"):
        if path.parts[0] != "tests" and "declare" in text_of(path):
            for node in ast.walk(module_of(path)):
                named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                if named and node.func.id in {"declare", "declare_plural"}:
                    found.append((path, node))
    return found


@pytest.mark.parametrize("language", languages())
def test_every_template_is_extracted_and_translated(language: str) -> None:
    # `test_translated_texts.py` compares this file with the texts in the sources.
    catalogue = catalogs.read(catalogs.po_path(ROOT, code=language, domain=catalogs.SERVER), code=language)
    templates = declared()
    assert len(templates) > 50
    for template in templates:
        text = (template.text, template.plural) if template.plural else template.text
        translated = catalogue.get(text, context=MESSAGE_CONTEXT)
        assert translated is not None, f"{template.code} is not extracted"
        forms = [translated.string] if isinstance(translated.string, str) else translated.string
        assert all(forms), f"{template.code} is not translated"


def test_templates_are_declared_with_literals() -> None:
    wrong = [
        f"{path}:{call.lineno}"
        for path, call in declarations()
        if not all(isinstance(each, ast.Constant) for each in call.args)
    ]
    assert wrong == []


def test_codes_have_different_texts() -> None:
    codes: dict[tuple[str, str], list[str]] = {}
    for template in declared():
        codes.setdefault((template.text, template.plural), []).append(template.code)
    assert [duplicates for duplicates in codes.values() if len(duplicates) > 1] == []


def test_calls_pass_the_parameters_of_the_template() -> None:
    """A missing or unknown parameter would raise a TypeError only when the message is created."""
    wrong = [f"{path}:{line}: {code}" for path, line, code, names in calls() if not TEMPLATES[code].takes(names)]
    assert wrong == []


def calls() -> Iterator[tuple[Path, int, str, frozenset[str]]]:
    declared()
    for path in own_files(".py"):
        constants = vars(sys.modules.get(".".join(path.with_suffix("").parts)) or object)
        for node in ast.walk(module_of(path)) if path.parts[0] in NAMES else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                template = constants.get(node.func.id)
                if isinstance(template, Template) and all(each.arg for each in node.keywords):
                    yield path, node.lineno, template.code, frozenset(str(each.arg) for each in node.keywords)
