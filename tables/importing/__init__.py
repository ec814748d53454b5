"""Files of rows, read as they come: what they are, what is in their columns, and each row of them. No Django."""
