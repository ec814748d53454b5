"""What a process tells of itself at /metrics: numbers that only grow, and how things stand."""
