"""What the sockets of all apps have in common: who sits behind one, how news reach it, time. Knows neither app."""
