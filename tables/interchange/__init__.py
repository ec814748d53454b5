"""Export tables as files.

Modules in reading order: `exporting` (snapshot, formats, limits of parallel exports), `csv_files`, `json_files`,
`xlsx_files`, `file_names`, `temporary_folders`.
"""
