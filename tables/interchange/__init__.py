"""Export tables as files.

Modules in reading order: `exporting` (snapshot, formats, limits of parallel exports), `origin_columns`, `text_files`
(CSV and JSON), `xlsx_files`, `zip_files` (with the files in cells), `file_names`, `temporary_folders`.
"""
