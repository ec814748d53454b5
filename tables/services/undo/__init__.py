"""Undo and redo.

Modules in reading order: `changes` is the entry point; `composing` computes the writes of an undo; `large_changes` does
so for large changes, in batches; `history_restore` undoes all changes after a given one; `restore_signals` sends
signals about them.
"""
