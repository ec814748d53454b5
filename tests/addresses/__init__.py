"""An application with a column type of its own: e-mail addresses, with a script that draws them."""
