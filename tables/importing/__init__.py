"""Read files of rows: format detection, column types, and the rows. Pure, without Django.

Reading bytes: `source` (format and its options), `encodings`, `delimited`, `records`, `spreadsheets`
with `spreadsheet_child`, `open_file` (rows of any format).

Guessing: `sniffing`, `type_detection`, `separators`, `value_formats`, `names`.

Importing: `choices` (the user's decisions), `targets` (columns to write), `row_reading`, `keys` (merging into existing
rows), `refused_cells`.
"""
