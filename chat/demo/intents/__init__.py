"""One file per wish the demo model understands; each is a function that takes a turn and answers it or passes."""
