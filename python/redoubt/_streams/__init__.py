"""Files of rows that do not fit into memory, part by part: what `redoubt.stream` is made of."""
