"""Tables as files: what others send becomes rows, and rows become what others read."""
