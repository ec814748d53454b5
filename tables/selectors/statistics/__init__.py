"""Counts and aggregates.

Modules in reading order: `columns` for the statistics of each column, `cache` for cached ones, `aggregates` for groups
and measures.
"""
