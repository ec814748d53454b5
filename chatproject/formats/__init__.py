"""How the admin writes days and moments: as data has them, on one line."""
