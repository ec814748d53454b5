"""Monitoring of a process: `logs`, `readiness` (`/readyz`) and `metrics` (`/metrics`)."""
