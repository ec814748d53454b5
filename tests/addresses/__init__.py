"""An application of somebody's own that brings a column type: e-mail addresses, with a script that draws them."""
