"""Read files of rows: format detection, column types, and the rows. Pure, without Django.

In reading order:

Reading bytes: `file_formats`.

Guessing: `sniffing`, `headers`, `names`, `type_detection`, `separators`, `value_formats`, `declared_columns`.

Importing: `choices` (the user's decisions), `targets` (columns to write), `row_reading` (with the keys that match rows
of the file to rows of the table), `refused_cells`.
"""
