"""Counts and aggregates.

Modules in reading order: `columns` for the statistics of each column, `cache` for cached ones, `row_counts` for exact
and estimated numbers of rows, `aggregates` for groups and measures.
"""
