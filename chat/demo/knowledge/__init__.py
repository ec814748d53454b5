"""What the demo model knows of the world: subjects people keep tables of, kinds of columns, made-up values."""
