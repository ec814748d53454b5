"""Cuts the movies of the npm package vega-datasets (BSD-3-Clause) to columns of the five types.

    npm pack vega-datasets@3.2.1 && tar xzf vega-datasets-3.2.1.tgz
    python tests/data/extract_movies.py package/data/movies.json > tests/data/movies.json
"""
from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

COLUMNS = [
    {"name": "Title", "type": "text"},
    {"name": "Worldwide Gross", "type": "number"},
    {"name": "Release Date", "type": "date"},
    {"name": "MPAA Rating", "type": "select"},
    {"name": "IMDB Rating", "type": "number"},
    {"name": "From a Book", "type": "boolean"},
]


def cut(movie: dict[str, Any]) -> dict[str, Any]:
    """One row: empty cells left out, titles that are numbers as text, dates as days."""
    title = movie["Title"]
    row = {
        "Title": None if title is None else str(title),
        "Worldwide Gross": movie["Worldwide Gross"],
        "Release Date": day(movie["Release Date"]),
        "MPAA Rating": movie["MPAA Rating"],
        "IMDB Rating": movie["IMDB Rating"],
        "From a Book": None if movie["Source"] is None else movie["Source"] == "Based on Book/Short Story",
    }
    return {name: value for name, value in row.items() if value not in (None, "")}


def day(text: Any) -> str | None:
    """`Jun 12 1998` as 1998-06-12; whatever else stands there as nothing."""
    try:
        return datetime.strptime(str(text), "%b %d %Y").replace(tzinfo=UTC).date().isoformat()
    except ValueError:
        return None


def main(path: str) -> None:
    rows = [cut(movie) for movie in json.loads(Path(path).read_text(encoding="utf-8"))]
    ratings = sorted({row["MPAA Rating"] for row in rows if "MPAA Rating" in row})
    columns = [{**column, "options": ratings} if column["type"] == "select" else column for column in COLUMNS]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    print(f'{{"columns":{json.dumps(columns)},\n"rows":[\n{lines}\n]}}')


if __name__ == "__main__":
    main(sys.argv[1])
