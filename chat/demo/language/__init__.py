"""English as far as the demo model understands it: words, numbers, dates, conditions. Knows no request and no reply."""
