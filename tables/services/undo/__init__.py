"""Undo and redo.

Modules in reading order: `changes` is the entry point; `composing` computes what an undo writes; `large_changes` does
so for large changes, in batches; `history_restore` undoes all changes after one; `restore_signals` sends signals about
them.
"""
