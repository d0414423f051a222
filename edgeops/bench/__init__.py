"""The benchmark: what is sent, what was observed, and what follows from it. All pure but for the probe itself."""
