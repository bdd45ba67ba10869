"""Certificates and attacks, and what is said about them."""
