"""The same under linf attacks, against the robust SVM and bagging."""

from .methods import random_splits

#: Certificates in linf take longer: fewer splits of the larger sets, and not all methods.
SPLITS = {"gaussian": 10, "bcw": 10, "digits3": 2, "digits7": 2}


def report(quick):
    sets = {"gaussian": 2} if quick else SPLITS
    return "\n\n".join(random_splits("linf", sets, quick, skip=("Ens-E", "Ens-R", "Ens-H")))
