"""Every test of the project; the folders mirror the tree."""
