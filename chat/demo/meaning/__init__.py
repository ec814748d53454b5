"""What phrases mean on a page: which rows a condition picks, which value a cell is to have."""
