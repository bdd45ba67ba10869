"""Training on more rows than fit into memory: passes over blocks, and a proof at the end."""
