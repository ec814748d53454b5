"""REST API of imports: `views`, `serializers`, `reader_defaults` (what the user's language decides)."""
