"""Database servers: one snapshot to read, one transaction to write."""
