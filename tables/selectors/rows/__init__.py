"""Rows of a table.

Modules in reading order: `costs` rejects filters that would take too long, `keyset` continues a list after a row,
`known_offsets` remembers the offsets of rows, `reading` reads the rows of a view, `snapshots` streams all of them,
`matches` finds the rows that many filters or keys match, `duplicates` finds equal rows,
`assigned` the rows of all tables that have the user.
"""
