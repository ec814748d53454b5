"""Undo and redo: `changes` is the entry point, `composing` computes what an undo writes, `in_parts` does so for large
changes, `history_restore` undoes all changes after one, `restored_changes` sends signals about them.
"""
