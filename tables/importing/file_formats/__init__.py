"""Rows of files in all formats, read from bytes.

In reading order: `source` (format and its options), `encodings`, `delimited` (CSV, TSV), `records` (JSON),
`spreadsheets` with `spreadsheet_child` (the process that opens workbooks) and `spreadsheet_formats` (number formats of
cells), `open_file` (rows of any format).
"""
