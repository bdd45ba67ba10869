"""The parameters of the classifiers, checked and named as the library names them."""

from functools import partial

from redoubt._checks import check_count, check_real, check_seconds, random_seed, thread_count

_count = partial(check_count, low=1)
_positive = partial(check_real, low=0, strict=True)
_not_negative = partial(check_real, low=0)


def _optional_count(name, value):
    return 0 if value is None else _count(name, value)


def _or_none(check):
    """None leaves the choice to the library."""
    return lambda name, value: None if value is None else check(name, value)


# By parameter: what the library calls it, and its check. The others are not for the library.
_SETTINGS = {
    "adversary": ("adversary", lambda _, value: value),
    "batch_size": ("batch_size", _count),
    "C": ("C", _positive),
    "cap": ("cap", _or_none(_positive)),
    "features_per_plane": ("features_per_plane", _optional_count),
    "jitter": ("jitter", _not_negative),
    "max_iter": ("max_iterations", _count),
    "max_seconds": ("max_seconds", check_seconds),
    "n_bags": ("n_bags", _count),
    "n_epochs": ("n_epochs", _or_none(_count)),
    "n_jobs": ("n_threads", lambda _, value: thread_count(value)),
    "n_planes": ("n_planes", _or_none(_count)),
    "patience": ("patience", _count),
    "power": ("power", _or_none(_positive)),
    "random_state": ("seed", lambda _, value: random_seed(value)),
    "regularization": ("regularization", _not_negative),
    "rule": ("rule", lambda _, value: value),
    "start_radius": ("start_radius", _not_negative),
    "step": ("step", _or_none(_positive)),
    "tol": ("tolerance", partial(check_real, low=1e-14, high=0.1)),
    "validation_share": ("validation_share", partial(check_real, low=0, high=0.9)),
}


def library_settings(classifier):
    """The library's settings, from the parameters of a classifier."""
    return {
        called: check(name, getattr(classifier, name))
        for name, (called, check) in _SETTINGS.items()
        if hasattr(classifier, name)
    }
