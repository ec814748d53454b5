"""Production as docs/deploy/ has it, brought up on one machine."""
