#!python
"""What `redoubt` is where the Python package was built without the program."""

import sys

print(
    "redoubt: this package was built without the program, because CLI11 was not found; install it\n"
    "(Debian: apt-get install libcli11-dev) and build the package again, in its checkout:\n"
    "    pip install --force-reinstall --no-deps .",
    file=sys.stderr,
)
sys.exit(2)
