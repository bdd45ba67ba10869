"""Documentation of parameters and attributes that several classifiers share."""

import re

# "    name : type" or "    name, other", and the indented lines below it.
_ENTRY = re.compile(r"^    (\w+)(?: :|,).*\n(?:        .*\n)*", re.MULTILINE)


def inherit_documentation(cls):
    """Fill lines such as ``<C, tol>`` of a docstring with what the base classes say about C and tol."""
    known = {}
    for base in reversed(cls.__mro__[1:]):
        known |= {entry[1]: entry[0] for entry in _ENTRY.finditer(base.__doc__ or "")}

    def fill(line):
        return "".join(known[name] for name in line[1].split(", "))

    cls.__doc__ = re.sub(r"^    <(.+)>\n", fill, cls.__doc__, flags=re.MULTILINE)
    return cls
