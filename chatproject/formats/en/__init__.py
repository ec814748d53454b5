"""English is what the admin speaks; pages for everybody write days in their own form."""
