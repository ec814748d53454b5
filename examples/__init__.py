"""Example projects, which use Table Chat as an application of your own would."""
