"""What the two checkers say of a proof: "proven", "refused" or "malformed"."""

import redoubt_check

from redoubt import _core


def by_python(header, line):
    try:
        vote = redoubt_check.Vote(redoubt_check.parse(header))
        redoubt_check.check_point(vote, redoubt_check.parse(line))
    except redoubt_check.Refused:
        return "refused"
    except redoubt_check.MALFORMED:
        return "malformed"
    return "proven"


def by_library(header, line):
    try:
        found = _core.ProofChecker(header, "proofs").check(line, 2)
    except (_core.ParseError, _core.InvalidInput):
        return "malformed"
    return "proven" if found.is_proven else "refused"


def verdicts(header, line):
    return by_python(header, line), by_library(header, line)
