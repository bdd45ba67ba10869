"""Every step that is read, with its traps; and what is refused, in one line that says why."""

import numpy as np
import pandas as pd
import pytest
import redoubt
from random_pipelines import bins, disagreements, fit_quietly, random_labels, random_table, read_rows
from redoubt._models.linear_model import read_model
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, IncrementalPCA, KernelPCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

NUMBERS, TEXTS = ["age", "income", "rooms"], ["job", "city"]
RNG = np.random.default_rng(0)
TABLE = random_table(RNG, 120)
FULL = TABLE.fillna({"age": 40.0, "income": 20.0, "job": "nurse"})
LABELS = random_labels(RNG, TABLE)
# Texts that no encoder was fitted to, numbers beyond the range, and gaps.
OTHERS = random_table(np.random.default_rng(1), 200, unseen=True)
OTHERS["age"] *= 2


def last():
    return RidgeClassifier()


def agree(model, rows):
    differs, rounded = disagreements(model, rows)
    assert differs == rounded


LINEAR = {
    "standard": StandardScaler(),
    "without mean": StandardScaler(with_mean=False),
    "min max": MinMaxScaler((-1, 3)),
    "max abs": MaxAbsScaler(),
    "robust": RobustScaler(with_centering=False),
    "PCA": PCA(2),
    "whitened": PCA(2, whiten=True),
    "IncrementalPCA": IncrementalPCA(2, whiten=True),
    "TruncatedSVD": TruncatedSVD(2),
    "LDA": LinearDiscriminantAnalysis(),
    "LDA eigen": LinearDiscriminantAnalysis(solver="eigen"),
    "SelectKBest": SelectKBest(k=2),
    "SelectFromModel": SelectFromModel(LogisticRegression()),
    "VarianceThreshold": VarianceThreshold(),
    "passthrough": "passthrough",
    "FunctionTransformer": FunctionTransformer(),
    "tf-idf": TfidfTransformer(norm=None, sublinear_tf=False),
    "tf": TfidfTransformer(norm=None, use_idf=False),
    "union": make_union(PCA(1), StandardScaler(), VarianceThreshold()),
    "weighted union": FeatureUnion(
        [("a", PCA(1)), ("b", "passthrough"), ("c", "drop")], transformer_weights={"b": 0.25}
    ),
    "scaled twice": make_pipeline(MinMaxScaler(), StandardScaler()),
}


@pytest.mark.parametrize("step", LINEAR.values(), ids=LINEAR)
def test_linear_steps_keep_numbers_numbers(step):
    X = FULL[NUMBERS]
    model = fit_quietly(make_pipeline(step, last()), X, LABELS)
    agree(model, OTHERS[NUMBERS].fillna(30.0))
    result = redoubt.certify(model, X, norm="l2")
    assert set(result.status) == {"optimal"} and result.moved is None
    moved = model.predict(X + result.witness * (1 + 1e-6))
    assert (moved != model.predict(X)).all()
    # The plane itself, measured by asking: steps along the columns.
    margins = model.decision_function(X)
    ahead = [model.decision_function(X.assign(**{name: X[name] + 1.0})) for name in NUMBERS]
    slope = np.linalg.norm(np.array(ahead) - margins, axis=0)
    np.testing.assert_allclose(result.radius, np.abs(margins) / slope, rtol=1e-6)


def test_scaled_units_are_those_of_the_one_scaler():
    X = FULL[NUMBERS]
    model = make_pipeline(StandardScaler(), PCA(2), last()).fit(X, LABELS)
    result = redoubt.certify(model, X, norm="l1", units="scaled")
    deviation = X.std(ddof=0)
    margins = model.decision_function(X)
    ahead = [
        model.decision_function(X.assign(**{name: X[name] + deviation[name]})) for name in NUMBERS
    ]
    slope = np.abs(np.array(ahead) - margins).max(axis=0)
    np.testing.assert_allclose(result.radius, np.abs(margins) / slope, rtol=1e-6)
    twice = make_pipeline(MinMaxScaler(), StandardScaler(), PCA(2), last()).fit(X, LABELS)
    raw, scaled = (redoubt.certify(twice, X, units=units).radius for units in ("raw", "scaled"))
    np.testing.assert_allclose(raw, scaled, rtol=1e-9)  # two scalers: no unit of their own


def test_numbers_behind_other_steps_are_saved_and_explained(tmp_path):
    X = FULL[NUMBERS]
    model = make_pipeline(StandardScaler(), PCA(2), redoubt.RobustSVMClassifier(radius=0.1))
    model.fit(X, LABELS)
    redoubt.save_model(model, tmp_path / "model.json")
    loaded = redoubt.load_model(tmp_path / "model.json")
    assert loaded.feature_names == NUMBERS and loaded.ranges is None
    assert (loaded.predict(X) == model.predict(X)).mean() > 0.99
    told = redoubt.explain(model, X[:3])
    assert all(each.is_changed and each.ranges is None for each in told)
    rules = redoubt.AttackModel(frozen=[0])
    own = make_pipeline(PCA(2), redoubt.RobustSVMClassifier(attack_model=rules)).fit(X, LABELS)
    for call in (redoubt.certify, redoubt.explain):
        with pytest.raises(ValueError, match="attack_model: that of the estimator is about the"):
            call(own, X)
    assert (redoubt.certify(own, X, attack_model=rules).witness[:, 0] == 0).all()


ENCODERS = {
    "one-hot": OneHotEncoder(handle_unknown="ignore"),
    "dense": OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32),
    "drop first": OneHotEncoder(handle_unknown="ignore", drop="first"),
    "drop if binary": OneHotEncoder(handle_unknown="ignore", drop="if_binary"),
    "rare": OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=0.2),
    "few": OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=2, drop="first"),
    "warned": OneHotEncoder(handle_unknown="warn"),
    "ordinal": OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-5
    ),
    "ordinal, then filled": make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), SimpleImputer()
    ),
    "rare ordinal": OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=-1,
        encoded_missing_value=-2,
        min_frequency=20,
    ),
    "target": TargetEncoder(random_state=0),
    "filled": make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    ),
    "filled and marked": make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?", add_indicator=True),
        OneHotEncoder(handle_unknown="ignore"),
    ),
    "scaled after": make_pipeline(
        OneHotEncoder(handle_unknown="ignore", sparse_output=False), StandardScaler()
    ),
    "binned after": make_pipeline(
        TargetEncoder(random_state=0), bins(3)
    ),
    "binarised after": make_pipeline(TargetEncoder(random_state=0), Binarizer(threshold=0.5)),
    "one-hot of ordinal": make_pipeline(
        OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1
        ),
        OneHotEncoder(handle_unknown="ignore"),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("step", ENCODERS.values(), ids=ENCODERS)
def test_encoders(step):
    columns = ColumnTransformer(
        [("t", step, TEXTS), ("n", SimpleImputer(), NUMBERS)], sparse_threshold=0.0
    )
    model = fit_quietly(make_pipeline(columns, last()), TABLE, LABELS)
    agree(model, TABLE)
    agree(model, OTHERS)
    coding = read_model(model).coding
    for j in coding.groups:
        column = coding.columns[j]
        assert column.feature_names()[column.other] == f"{column.name}=(other)"
        assert column.other == column.n_members - 1


def test_members_are_called_and_ordered_by_category():
    columns = ColumnTransformer([("t", OneHotEncoder(handle_unknown="ignore"), ["job"])])
    model = make_pipeline(columns, last()).fit(TABLE, LABELS)
    linear = read_model(model)
    names = [f"job={each}" for each in ["clerk", "cook", "nurse", "smith", "(missing)", "(other)"]]
    assert linear.coding.feature_names() == names
    coef = linear.decision.planes.coef[0]
    np.testing.assert_array_equal(coef[:-1], np.ravel(model[-1].coef_))
    assert coef[-1] == 0.0


def test_dropped_and_rare_categories_share_coefficients():
    columns = ColumnTransformer(
        [("t", OneHotEncoder(drop="first", max_categories=3), ["job"])], remainder="drop"
    )
    model = make_pipeline(columns, last()).fit(FULL, LABELS)
    coef = read_model(model).decision.planes.coef[0]
    rare = model[0].named_transformers_["t"].infrequent_categories_[0]
    is_rare = np.isin(["clerk", "cook", "nurse", "smith"], rare)
    assert is_rare.sum() == 2
    assert len(set(coef[is_rare])) == 1  # they are one to the model
    assert 0.0 in coef and len(set(coef)) == 3  # and one is dropped


def test_unknown_categories_are_errors_where_the_encoder_says_so():
    columns = ColumnTransformer([("t", OneHotEncoder(), ["job", "city"])])
    model = make_pipeline(columns, last()).fit(FULL, LABELS)
    assert all(column.other is None for column in read_model(model).coding.columns)
    with pytest.raises(ValueError, match="column .job.: expected a category of the model .*, got .unheard of. in row"):
        redoubt.certify(model, OTHERS.fillna({"job": "nurse"}))


IMPUTERS = {
    "mean": SimpleImputer(),
    "median": SimpleImputer(strategy="median", add_indicator=True),
    "most frequent": SimpleImputer(strategy="most_frequent"),
    "constant": SimpleImputer(strategy="constant", fill_value=0.0, add_indicator=True),
    "after scaling": make_pipeline(StandardScaler(), SimpleImputer(add_indicator=True)),
    "marked apart": make_union(SimpleImputer(), MissingIndicator()),
}


@pytest.mark.parametrize("step", IMPUTERS.values(), ids=IMPUTERS)
def test_missing_numbers_are_filled_and_stay(step):
    model = fit_quietly(make_pipeline(step, last()), TABLE[NUMBERS], LABELS)
    agree(model, OTHERS[NUMBERS])
    rows = TABLE[NUMBERS][:40]
    result = redoubt.certify(model, rows, norm="linf")
    assert set(result.status) == {"optimal"}
    known = np.isfinite(result.radius)
    assert (result.moved.isna() == rows.isna())[known].all(axis=None)
    assert (model.predict(result.moved[known]) != model.predict(rows[known])).all()


@pytest.mark.parametrize(
    "columns",
    [
        ["age", "income"],
        [0, 1],
        slice(0, 2),
        slice("age", "income"),
        [True, True, False, False, False, False],
        make_column_selector(pattern="age|income"),
        lambda X: ["age", "income"],
    ],
    ids=["names", "places", "slice", "slice of names", "mask", "selector", "callable"],
)
def test_columns_are_chosen_in_every_way(columns):
    block = ColumnTransformer([("n", SimpleImputer(), columns)])
    model = fit_quietly(make_pipeline(block, last()), TABLE, LABELS)
    agree(model, OTHERS)
    kinds = [column.kind for column in read_model(model).coding.columns]
    assert kinds == ["number", "number", "unused", "unused", "unused", "unused"]


def test_blocks_in_blocks_with_a_remainder_and_frames_as_output():
    inner = ColumnTransformer(
        [("fill", SimpleImputer(), ["age", "income"])], remainder="passthrough"
    )
    outer = ColumnTransformer(
        [
            ("numbers", make_pipeline(inner, StandardScaler()), NUMBERS),
            ("texts", OneHotEncoder(handle_unknown="ignore", sparse_output=False), TEXTS),
        ],
        remainder=OrdinalEncoder(),
    )
    model = make_pipeline(outer, last()).set_output(transform="pandas").fit(TABLE, LABELS)
    agree(model, OTHERS)
    search = GridSearchCV(model, {"ridgeclassifier__alpha": [0.1, 1.0]}, cv=2)
    agree(fit_quietly(search, TABLE, LABELS), OTHERS)
    search = RandomizedSearchCV(model, {"ridgeclassifier__alpha": [0.1, 1.0]}, n_iter=1, cv=2)
    agree(fit_quietly(search, TABLE, LABELS), OTHERS)


def test_a_column_that_is_used_twice_is_one_variable():
    block = ColumnTransformer(
        [("a", StandardScaler(), ["age", "income"]), ("b", MinMaxScaler(), ["age"])]
    )
    model = make_pipeline(block, last()).fit(FULL, LABELS)
    agree(model, OTHERS.fillna({"age": 1.0, "income": 1.0}))
    slope = read_model(model).decision.planes.coef[0]
    coef, scalers = np.ravel(model[-1].coef_), model[0].named_transformers_
    expected = coef[0] / scalers["a"].scale_[0] + coef[2] * scalers["b"].scale_[0]
    assert slope[0] == pytest.approx(expected, rel=1e-12)
    texts = ColumnTransformer(
        [("o", OrdinalEncoder(), ["job"]), ("h", OneHotEncoder(), ["job", "city"])]
    )
    agree(make_pipeline(texts, last()).fit(FULL, LABELS), FULL)
    blocks = [("n", StandardScaler(), ["rooms"]), ("h", OneHotEncoder(), ["rooms"])]
    both = ColumnTransformer(blocks)
    model = make_pipeline(both, last()).fit(FULL, LABELS)
    with pytest.raises(ValueError, match="column 'rooms' goes into the model both as a number and"):
        redoubt.certify(model, FULL)


def test_polars_frames_and_arrays():
    polars = pytest.importorskip("polars")
    block = ColumnTransformer(
        [("n", SimpleImputer(), NUMBERS), ("t", OneHotEncoder(handle_unknown="ignore"), TEXTS)]
    )
    frame = polars.DataFrame({name: FULL[name].tolist() for name in FULL})
    model = make_pipeline(block, last()).fit(frame, LABELS)
    result = redoubt.certify(model, frame[:30], norm="l1")
    same = redoubt.certify(make_pipeline(block, last()).fit(FULL, LABELS), FULL[:30], norm="l1")
    np.testing.assert_allclose(result.radius, same.radius, rtol=1e-12)
    assert isinstance(result.moved, polars.DataFrame)
    assert (model.predict(result.moved) != model.predict(frame[:30])).all()

    array = TABLE[["age", "job"]].to_numpy(dtype=object)
    block = ColumnTransformer([("n", SimpleImputer(), [0]), ("t", OneHotEncoder(), [1])])
    model = make_pipeline(block, last()).fit(array, LABELS)
    result = redoubt.certify(model, array[:30], norm="l1")
    assert result.moved.shape == (30, 2) and result.moved.dtype == object
    assert (model.predict(result.moved) != model.predict(array[:30])).all()


def test_categories_of_pandas_and_numbers_as_categories():
    table = FULL.assign(job=FULL["job"].astype("category"))
    encoder = OneHotEncoder(handle_unknown="ignore")
    block = ColumnTransformer([("t", encoder, ["job", "rooms"]), ("n", StandardScaler(), ["age"])])
    model = make_pipeline(block, last()).fit(table, LABELS)
    agree(model, table)
    result = redoubt.certify(model, table, norm="l1")
    known = np.isfinite(result.radius)
    assert (model.predict(result.moved[known]) != model.predict(table[known])).all()
    names = read_model(model).coding.feature_names()
    assert "rooms=1" in names and "rooms=(other)" in names


REFUSED = [
    (Normalizer(), "the step Normalizer, which is not supported: it divides by the length"),
    (PolynomialFeatures(), "the step PolynomialFeatures, .* multiplies columns by each other"),
    (QuantileTransformer(n_quantiles=9), "the step QuantileTransformer, .* it is not linear"),
    (KernelPCA(2), "the step KernelPCA, .* it is not linear"),
    (KNNImputer(), "the step KNNImputer, .* fills in missing values from other columns"),
    (MinMaxScaler(clip=True), "MinMaxScaler has clip=True"),
    (TfidfTransformer(), "TfidfTransformer needs norm=None"),
    (FunctionTransformer(np.log1p), "FunctionTransformer has func=log1p"),
    (make_pipeline(StandardScaler(), OneHotEncoder()), "StandardScaler is followed by OneHot"),
    (SimpleImputer(missing_values=1.0), "takes the number 1.0 for a missing entry"),
]


@pytest.mark.parametrize(
    ("step", "message"), REFUSED, ids=[type(step).__name__ for step, _ in REFUSED]
)
def test_what_is_refused_says_why_in_one_line(step, message):
    model = fit_quietly(make_pipeline(step, last()), FULL[NUMBERS], LABELS)
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        redoubt.certify(model, FULL[NUMBERS])
    assert "\n" not in str(caught.value)


def test_classifiers_that_are_refused():
    model = make_pipeline(StandardScaler(), GaussianNB()).fit(FULL[NUMBERS], LABELS)
    with pytest.raises(TypeError, match="got GaussianNB, which is not supported"):
        redoubt.certify(model, FULL[NUMBERS])


def test_two_fills_of_one_column_are_refused_where_it_matters():
    both = make_union(SimpleImputer(), SimpleImputer(strategy="constant", fill_value=-1.0))
    model = make_pipeline(both, last()).fit(TABLE[["age"]], LABELS)
    redoubt.certify(model, FULL[["age"]])
    with pytest.raises(ValueError, match="missing entries of 'age' are filled differently"):
        redoubt.certify(model, TABLE[["age"]])


def test_marks_of_missing_categories_need_an_imputer():
    both = make_union(OneHotEncoder(handle_unknown="ignore"), MissingIndicator())
    model = make_pipeline(both, last()).fit(TABLE[["job"]], LABELS)
    with pytest.raises(ValueError, match="missing entries of column 'job' are marked by one step"):
        redoubt.certify(model, TABLE[["job"]])


def test_a_table_may_be_all_categories():
    model = make_pipeline(OneHotEncoder(), last()).fit(FULL[TEXTS], LABELS)
    result = redoubt.certify(model, FULL[TEXTS], norm="l1")
    assert set(np.abs(result.radius[np.isfinite(result.radius)])) <= {1.0, 2.0}
    linear, Z = read_rows(model, FULL[TEXTS])
    assert (Z.sum(axis=1) == 2).all()
    assert isinstance(result.moved, pd.DataFrame)
