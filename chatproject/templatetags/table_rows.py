"""Renders table rows in Python, because a template would take ten times as long for hundreds of cells."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from chatproject.templatetags.display import icon, initials

# Django imports all template libraries, also in projects without tables.
if TYPE_CHECKING:
    from tables.views.grid.cells import Badge, Cell, DrawnRow

register = template.Library()


@register.simple_tag
def table_rows(rows: Sequence[DrawnRow], *, read_only: bool = False, forms: str = "") -> SafeString:
    """Return a `tr` for each row, as scripts draw it too. All values of the table are escaped here.

    `forms` is the base URL of the forms in which rows are edited without scripts, "" for no links to them.
    """
    yes, no = escape(_("Yes")), escape(_("No"))
    ticks = {
        True: f'<span class="bool" role="img" aria-label="{yes}">{icon("check")}</span>',
        False: f'<span class="bool is-no" role="img" aria-label="{no}">{icon("x", "icon--14")}</span>',
    }
    pencil = icon("pencil", "icon--14")
    links = [_edit_link(row, forms=forms, pencil=pencil) if forms else "" for row in rows]
    lines = [_row(row, ticks=ticks, read_only=read_only, link=link) for row, link in zip(rows, links, strict=True)]
    return SafeString("".join(lines))


def _edit_link(row: DrawnRow, *, forms: str, pencil: str) -> str:
    label = escape(row.edit_label)
    return f'<noscript><a class="gutter__edit" href="{forms}{row.id}/" aria-label="{label}">{pencil}</a></noscript>'


def _row(row: DrawnRow, *, ticks: dict[bool, str], read_only: bool, link: str) -> str:
    check = "" if read_only else f'<input class="check" type="checkbox" aria-label="{escape(row.check_label)}">'
    gutter = f'<div class="gutter__inner">{check}<span class="gutter__number">{row.number}</span>{link}</div>'
    cells = "".join([_cell(cell, ticks=ticks) for cell in row.cells])
    filler = '<td class="filler" aria-hidden="true"></td>'
    return f'<tr data-row="{row.id}"><td class="gutter">{gutter}</td>{cells}{filler}</tr>\n'


def _cell(cell: Cell, *, ticks: dict[bool, str]) -> str:
    direction = ' dir="auto"' if cell.is_text else ""
    value = f'<span class="val"{direction}>{_value(cell, ticks=ticks)}</span>'
    return f'<td class="{escape(cell.classes)}" data-col="{escape(cell.column.id)}">{value}</td>'


def _value(cell: Cell, *, ticks: dict[bool, str]) -> str:
    if not cell.text:
        return '<span class="none">–</span>'
    if cell.drawn == "tick":
        return ticks[bool(cell.value)]
    if cell.badges:
        return _badges(cell.badges)
    if cell.drawn == "files" and isinstance(cell.value, list):
        return _files(cell.value)
    html = _marked(cell.pieces)
    if cell.stars:
        return _stars(*cell.stars, html=html)
    if cell.drawn == "badge":
        return f'<span class="badge" data-c="{cell.color}">{html}</span>'
    if cell.drawn == "avatar":
        return _person(cell, html=html)
    if cell.drawn == "time":
        return f'<time datetime="{escape(str(cell.value))}">{html}</time>'
    if cell.drawn == "lines":
        return f'<span class="lines">{html}</span>'
    if cell.drawn == "link":
        return f'<a href="{escape(cell.link)}" rel="noopener noreferrer nofollow" target="_blank">{html}</a>'
    return html


def _stars(value: int, maximum: int, *, html: str) -> str:
    """Return the stars, with the number that is shown in their place in cells that are too narrow for them."""
    label = escape(_("%(stars)s of %(all)s") % {"stars": value, "all": maximum})
    data = f'data-n="{value}" data-of="{maximum}"'
    return f'<span class="stars" role="img" aria-label="{label}" {data}>{html}</span>'


def _files(files: Sequence[dict[str, str]]) -> str:
    """Return files with an icon, in place of which scripts show thumbnails. Cells of one line show the first file."""
    clip = f'<span class="file__picture">{icon("paperclip", "icon--14")}</span>'
    drawn = [
        f'<span class="file{" is-more" * (index > 0)}" title="{escape(file["name"])}" data-file="{escape(file["id"])}"'
        f' data-type="{escape(file["type"])}">{clip}<span>{escape(file["name"])}</span></span>'
        for index, file in enumerate(files)
    ]
    others = ", ".join(file["name"] for file in files[1:])
    more = f'<span class="files__more" title="{escape(others)}">+{len(files) - 1}</span>' if others else ""
    return f'<span class="files">{"".join(drawn)}{more}</span>'


def _person(cell: Cell, *, html: str) -> str:
    circle = f'<span class="avatar" aria-hidden="true">{escape(initials(cell.text))}</span>'
    former = " is-former" if cell.is_former else ""
    # The text of a deleted account says that there is none.
    has_left = cell.is_former and cell.value in cell.column.people.values
    left = escape(_("left"))
    note = f"<small>{left}</small>" if has_left else ""
    return f'<span class="person{former}">{circle}{html}{note}</span>'


def _marked(pieces: Sequence[tuple[str, bool]]) -> str:
    return "".join([f"<mark>{escape(text)}</mark>" if found else escape(text) for text, found in pieces])


def _badges(badges: Sequence[Badge]) -> str:
    drawn = [
        f'<span class="badge{" is-more" * badge.is_hidden}" data-c="{badge.color}">{_marked(badge.pieces)}</span>'
        for badge in badges
    ]
    hidden = [badge.option for badge in badges if badge.is_hidden]
    more = f'<span class="badges__more" title="{escape(", ".join(hidden))}">+{len(hidden)}</span>' if hidden else ""
    return f'<span class="badges">{"".join(drawn)}{more}</span>'
