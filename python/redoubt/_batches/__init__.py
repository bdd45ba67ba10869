"""A batch of rows in, a batch of results out: what streams and other engines call."""
