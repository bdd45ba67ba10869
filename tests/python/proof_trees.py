"""The trees of proof files, taken apart."""


def nodes_of(node):
    """A node and all below it."""
    yield node
    below = node[2::2] if isinstance(node, list) else [case[-1] for case in node.get("cases", [])]
    for child in below:
        yield from nodes_of(child)


def bars_of(node):
    """Its barred planes, each with multipliers."""
    return node[0] if isinstance(node, list) else []


def cases_of(node):
    return node.get("cases", []) if isinstance(node, dict) else []


def multipliers_of(node):
    """(list, place of the first multiplier) for a refuted node and for barred planes; after a charge."""
    found = [(bar, 1) for bar in bars_of(node)]
    if isinstance(node, dict) and "refuted" in node:
        found.append((node["refuted"], 0))
    for entries, first in found:
        has_charge = len(entries) > first and isinstance(entries[first], list)
        yield entries, first + has_charge
