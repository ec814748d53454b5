"""Tests of the example. They run in a process of their own, because it has other settings than Table Chat."""
