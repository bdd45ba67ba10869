"""Rows as passes see them: where they come from, block by block, and which are kept in memory."""
