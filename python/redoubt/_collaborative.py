"""The collaborative ensemble, Ens-C, as a scikit-learn estimator."""

from redoubt import _core
from redoubt._checks import check_count, check_real, check_seconds, random_seed, thread_count
from redoubt._estimators import Trained, VoteClassifier
from redoubt._progress import progress_bar

__all__ = ["CollaborativeEnsembleClassifier"]


class CollaborativeEnsembleClassifier(VoteClassifier):
    """Planes that are trained together by raising the certified radii of their vote (Ens-C).

    Every point should reach the target radius r: minimises
    ``sum_j c_j r / s ([r - R_j]_+ / r)^s``, where R_j is the exact signed radius of point j under the
    vote, s is `power` and c_j are the sample weights. The exact gradient of R_j moves the planes that
    decide it.

    Parameters
    ----------
    radius : float, default=2.0
        The radius that every point should reach, > 0. In the units of X: scale first.
    norm : {"l1", "l2", "linf"} or None, default=None
        In which radii are measured. None is the attack model's norm, or "l2".
    n_planes : int, default=15
        How many planes vote.
    n_epochs : int, default=60
        Passes over the data.
    batch_size : int, default=32
        Points per step.
    step : float, default=0.02
        Length of the first steps.
    power : float, default=0.8
        s of the loss, in (0, 2]. Below 1 points that have almost reached the target pull hardest.
    cap : float, default=1.0
        The loss of a point that is wrong by more than this many target radii does not grow.
    start_radius : float, default=0.5
        Of the robust SVM that all planes start near.
    jitter : float, default=0.3
        How far from it they start.
    features_per_plane : {None, 1}, default=None
        None: planes look at all features. 1: each looks at one, for norm="linf" only. Such votes of
        stumps are trained by exact coordinate descent (`n_epochs` bounds the sweeps; the options of
        the gradient method are not looked at) and are hard to beat on small noisy tables.
    n_bags : int, default=1
        With `features_per_plane=1`: join this many votes of `n_planes` stumps, each from a bootstrap
        sample.
    validation_share : float, default=0.0
        Hold out this share of the points and keep the planes that do best on them.
    patience : int, default=20
        With a validation share: epochs without progress before the training ends.
    attack_model : AttackModel or None, default=None
        What the adversary may do, in the units of the X that `fit` is given (behind a scaler: in
        scaled units). `certify` and `attack` take it, too.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the sample weights, as in scikit-learn.
    max_seconds : float or None, default=None
        Stop after this time with the planes as they are.
    warm_start : bool, default=False
        Start from the planes of the last `fit`.
    random_state : int, RandomState or None, default=None
        Of the start and the order of the points. An integer gives the planes of
        ``redoubt train --seed``.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The answer does not depend on it.
    verbose : int, default=0
        Above 0, a progress bar on standard error.

    Attributes
    ----------
    coef_ : ndarray of shape (n_planes, n_features)
        One plane per row (`n_bags` times as many for stumps); with K > 2 classes, K such blocks.
    intercept_ : ndarray of shape (n_planes,)
    classes_ : ndarray of shape (n_classes,)
    status_ : str
        "optimal" when all epochs were done, else what stopped the training.
    is_partial_ : bool
        A limit struck or Ctrl-C was pressed.
    history_ : dict of ndarray
        Per epoch: objective, validation objective, seconds. With more than two classes a list of
        such, one per class.
    attack_model_ : ResolvedAttackModel or None
        `attack_model` for these features and classes.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RobustEnsembleClassifier : Planes that are trained one after the other.

    Examples
    --------
    >>> from redoubt import CollaborativeEnsembleClassifier, datasets
    >>> X, y, *_ = datasets.load("gaussian")
    >>> model = CollaborativeEnsembleClassifier(n_planes=5, n_epochs=10, random_state=0).fit(X, y)
    >>> bool(model.certify(X, y).radius.mean() > 0.5)
    True
    """

    def __init__(
        self,
        radius=2.0,
        *,
        norm=None,
        n_planes=15,
        n_epochs=60,
        batch_size=32,
        step=0.02,
        power=0.8,
        cap=1.0,
        start_radius=0.5,
        jitter=0.3,
        features_per_plane=None,
        n_bags=1,
        validation_share=0.0,
        patience=20,
        attack_model=None,
        class_weight=None,
        max_seconds=None,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.radius = radius
        self.norm = norm
        self.n_planes = n_planes
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.step = step
        self.power = power
        self.cap = cap
        self.start_radius = start_radius
        self.jitter = jitter
        self.features_per_plane = features_per_plane
        self.n_bags = n_bags
        self.validation_share = validation_share
        self.patience = patience
        self.attack_model = attack_model
        self.class_weight = class_weight
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, radius=None):
        """Train the planes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes or more; of two, the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            c_j >= 0; a weight of 0 leaves the sample out.
        radius : float, array-like of shape (n_samples,) or None, default=None
            Target radii > 0, one per sample; None takes the parameter `radius` for all.

        Returns
        -------
        self : CollaborativeEnsembleClassifier
        """
        settings = {
            "norm": self._training_norm(),
            "n_planes": check_count("n_planes", self.n_planes, 1),
            "n_epochs": check_count("n_epochs", self.n_epochs, 1),
            "batch_size": check_count("batch_size", self.batch_size, 1),
            "step": check_real("step", self.step, 0, strict=True),
            "power": check_real("power", self.power, 0, strict=True),
            "cap": check_real("cap", self.cap, 0, strict=True),
            "start_radius": check_real("start_radius", self.start_radius, 0),
            "jitter": check_real("jitter", self.jitter, 0),
            "features_per_plane": (
                0
                if self.features_per_plane is None
                else check_count("features_per_plane", self.features_per_plane, 1)
            ),
            "n_bags": check_count("n_bags", self.n_bags, 1),
            "validation_share": check_real("validation_share", self.validation_share, 0, high=0.9),
            "patience": check_count("patience", self.patience, 1),
            "max_seconds": check_seconds("max_seconds", self.max_seconds),
            "n_threads": thread_count(self.n_jobs),
            "seed": random_seed(self.random_state),
        }
        if radius is None:
            radius = check_real("radius", self.radius, 0, strict=True)

        def train(problem, earlier):
            start = None
            is_alike = earlier is not None and len(earlier.coef) == settings["n_planes"]
            if is_alike and settings["features_per_plane"] == 0:
                start = _core.Ensemble(earlier.coef, earlier.intercept)
            with progress_bar(self.verbose, problem.name, "epoch") as progress:
                result = _core.train_collaborative(
                    problem.X,
                    problem.signs,
                    problem.radii,
                    weights=problem.weights,
                    start=start,
                    progress=progress,
                    attack_model=problem.attack_model,
                    **settings,
                )
            return Trained.of(result)

        return self._fit(X, y, sample_weight, radius, train)
