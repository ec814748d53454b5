"""The configuration of the assistant in the admin: entries of the registries with their overrides.

Read `base`, `admin` (URLs, list and pages of entries) with `entry_form`, `conflicts` and `bound_fields`,
`confirmation`, `drafts` with `draft_pages`, `preview_targets` with `preview_pages`, `prompt_test_form`
with `prompt_test_pages`, `history_pages`, `file_pages` and `orphaned_override_pages`.
"""
from chat.admin.configuration.admin import ConfigurationAdmin

__all__ = ["ConfigurationAdmin"]
