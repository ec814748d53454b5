"""What is made up: types of columns by their names, usual columns of a subject, sample values."""
