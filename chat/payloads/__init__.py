"""The payload types that ship, one file each; importing this package registers them."""
from chat.payloads import data_proposal, schema_proposal, undo

__all__ = ["data_proposal", "schema_proposal", "undo"]
