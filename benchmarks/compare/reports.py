"""The reports: what each says about itself, and which modules fill it."""

import importlib
import os
from typing import NamedTuple

from .measure import machine, table


class Report(NamedTuple):
    name: str
    introduction: str
    packages: tuple  # whose versions matter
    sections: tuple  # modules with a function report(quick): the text, or (text, {name: file})
    limitations: str

    def run(self, quick):
        """Print every section as it is done. Returns {file name: content}."""
        parts = [self.introduction, "## Machine", table(["what", "value"], machine(self.packages))]
        attached = {}
        for name in self.sections:
            section = importlib.import_module(f"{__package__}.{name}")
            text = section.report(quick)
            if isinstance(text, tuple):
                text, files = text
                attached |= files
            print(text, end="\n\n", flush=True)
            parts.append(text)
        parts += [f"Load average at the end: {os.getloadavg()[0]:.1f}.", self.limitations]
        return {f"{self.name}.md": "\n\n".join(parts) + "\n", **attached}


SVM = Report(
    "svm",
    """\
# SVM solvers: Redoubt, LIBSVM, LIBLINEAR, Clarabel and HiGHS compared

Written by `./dev bench svm`. All ratios come from this one run; solvers take turns, so that noise
on the machine affects all of them. Times are the median over the repetitions with the least in
brackets. Ratios are of median clock times, in brackets of median processor times; above 1 means
that Redoubt is faster. A target counts as reached if the smaller of the two reaches it: on a busy
machine the clock flatters short calls, processor time does not. Data: the training part of the
published split, standardised.""",
    ("scikit-learn", "clarabel", "highspy"),
    ("svm", "robust_svm", "memory"),
    """\
## Limitations

- Few data sets, all dense with many more points than features: the case these solvers are made for.
  LIBSVM has kernels, LIBLINEAR sparse data; Clarabel and HiGHS solve far more than this.
- LIBSVM keeps its kernel values in single precision, so its gap stays above ours even at
  tol=1e-8. Its default tolerance (1e-3) is faster and less accurate.
- LIBLINEAR penalises the bias: compare the objectives, not the planes.
- HiGHS and Clarabel get the textbook models. Others (such as the dual) may suit them better.
- On separable points (objective 0) our answer is the plane of least ||w||_2 among the optima;
  HiGHS and Clarabel return any optimum. The two do different amounts of work there.
- Along the chain, compare "warm" with "cold function" to see what the warm start itself gains;
  the rest of the ratio is there without it.
- Sub-millisecond times include Python's call overhead, for all solvers.""",
)

CERTIFICATES = Report(
    "certificates",
    """\
# Certificates and attacks: Redoubt, Gurobi, SCIP and HiGHS compared

Written by `./dev bench certificates`. All ratios come from this one run; solvers take turns, so
that noise on the machine hits all of them. Ratios above 1 mean that Redoubt is faster. Targets are
printed next to the measurements, including missed ones. Each answer of another solver is compared with ours.""",
    ("gurobipy", "pyscipopt", "highspy"),
    ("certificates", "relaxed"),
    """\
## Limitations

- Gurobi, SCIP and HiGHS solve any integer program; we solve this one. The ratios show what a
  specialised search gains here, and say nothing about those solvers elsewhere.
- The target ratios compare one certificate with the paper's 12 programs. A program for the least
  radius itself makes better use of those solvers: see "One program for all radii" for that ratio.
- The other solvers run at their default settings, on one thread. Tuning may help them.
- The other solvers are measured on samples. Their times vary widely from point to point and radius
  to radius, so expect ratios to change by some tens of per cent from run to run.
- Problems of a millisecond or less are mostly call overhead, on both sides.
- The other solvers' tolerances (1e-6 a row) allow steps a little beyond the ball; ours are proven.
- Bagged linear SVMs on three small data sets. How the cost grows is in [growth.md](growth.md).""",
)

GROWTH = Report(
    "growth",
    """\
# How the cost of a certificate grows

Written by `./dev bench growth`. One thread, no other solvers: the time of `redoubt.certify` for a
point as the numbers of planes and features grow.""",
    ("scikit-learn", "matplotlib"),
    ("growth",),
    """\
## Limitations

- Each cell is a sample of points, and the largest time is that of the sample.
- The synthetic clouds overlap (means 3 deviations apart in all, whatever n). Well separated
  classes give planes that agree more, and easier searches.
- Random planes are a stress test: no training gives such a vote.
- Times per point leave out preparing the planes, which a call does once.""",
)

TRAININGS = Report(
    "trainings",
    """\
# Training ensembles: how long it takes

Written by `./dev bench trainings`. All ratios come from this one run. Targets are printed beside
what was measured, also when missed.""",
    ("scikit-learn", "clarabel", "gurobipy", "matplotlib"),
    ("ensembles",),
    """\
## Limitations

- Gurobi is timed on a sample of points and extrapolated. Its model is built outside the timed part.
- LIBSVM runs at its default tolerance (1e-3), ours at 1e-8.
- The published figure for this training, 1109 s, is from an unknown machine.""",
)

METHODS_INTRODUCTION = """\
Every method's radius (for Ens-C also the number of planes, 1 or 15, and of epochs, 15 or 60) is
chosen on a quarter of the training part that is held out, then the method is trained on all of it.
Random splits keep a fifth of the points for the test, class by class. Features are standardised
with the training part. Means are over the attack radii, percent; ± is the standard deviation over
the splits."""

METHODS_LIMITATIONS = """\
## Limitations

- Few, small data sets. On heart and diabetes a difference of a point is within the noise.
- One validation split chooses, not a cross-validation: every method has the same chance of bad
  luck.
- The class-weighted variants give both classes equal weight in training; votes stay unweighted."""

METHODS = Report(
    "methods",
    "# Methods: accuracy under l2 attack\n\nWritten by `./dev bench methods`. "
    + METHODS_INTRODUCTION + " Attacks: the 12 published radii from 0 to 2. 10 splits.",
    ("scikit-learn",),
    ("methods",),
    METHODS_LIMITATIONS,
)  # fmt: skip

DEFAULTS = Report(
    "defaults",
    """\
# Ens-C with its defaults

Written by `./dev bench defaults`. Nothing is tuned by hand: Ens-C and RO-SVM choose their radius
(Ens-C also between 1 and 15 planes) by `radius="auto"` within the training part, the others have no
such choice. 10 random splits keep a fifth of the points for the test, class by class. Features are
standardised with the training part, but for the words of messages, which are 0 or 1. `class_weight="balanced"` where a class has less than 45 % of the points. A scale is the median
distance of the training points from the plane of the SVM; radii of single points count up to 3
scales. ± is the standard deviation over the splits.""",
    ("scikit-learn",),
    ("defaults",),
    """\
## Limitations

- The tables are small and the splits overlap, so deviations are no confidence intervals.
- All models are linear or votes of planes, and all are certified in l2.""",
)

GIVEN_RADIUS = Report(
    "given_radius",
    """\
# Ens-C at a given radius

Written by `./dev bench given_radius`: accuracy on the published split, and how long a training takes.
Features are standardised with the training part.""",
    (),
    ("given_radius",),
    """\
## Limitations

- One split of four small tables; the step size was chosen with a look at it.
- The large table is made of normal points and a plane, which a single robust plane fits best.""",
)

CLASSES = Report(
    "classes",
    """\
# More than two classes

Written by `./dev bench classes`. Tables of scikit-learn, standardised by the training part; a fifth
of the points, class by class, is the test part of each random split (20 of iris and wine, 5 of
digits). Every model has its defaults; "auto" and Ens-C choose their radius within the training
part. A scale is the median distance of the training points from another answer of the SVM; radii of
single points count up to 3 scales. ± is the standard deviation over the splits.""",
    ("scikit-learn",),
    ("classes",),
    """\
## Limitations

- Iris and wine have test parts of 30 and 36 points: one point is 3 points of accuracy, and the
  splits overlap.
- One vote of digits is certified. Votes that disagree more take longer.""",
)

METHODS_LINF = Report(
    "methods_linf",
    "# Methods: accuracy under linf attack\n\nWritten by `./dev bench methods_linf`. "
    + METHODS_INTRODUCTION + " Attacks: 0.05 to 0.5 on Gaussian and BCW (10 splits), 0.02 to 0.3 on "
    "Digits (2 splits).",
    ("scikit-learn",),
    ("methods_linf",),
    METHODS_LIMITATIONS,
)  # fmt: skip

READING = Report(
    "reading",
    """\
# Reading tables: Redoubt and pandas compared

Written by `./dev bench reading`. All ratios come from this one run; the two take turns, so that
noise on the machine affects both. Ratios are of median clock times, in brackets of median processor
times; above 1 means that Redoubt is faster. A target counts as reached if the smaller of the two
reaches it.""",
    ("pandas",),
    ("reading",),
    """\
## Limitations

- pandas reads far more kinds of files and columns of any type; Redoubt reads tables for a classifier.
- Files are in the page cache: with a disk, both may have to wait.
- A single shape of table. Integers and short numbers are faster for both.
- Prediction includes scaling and the exact sign of every plane at every point.""",
)

TABULAR = Report(
    "tabular",
    """\
# Real tables and real attackers

Written by `./dev bench tabular`. 67/33 splits with 10 seeds, features scaled to [0, 1] by the
training part, mean exact linf radius over up to 100 test points that are right (plus 1e-4) and
accuracy, as in the publication that the first rows come from (M. Moshkovitz, Y.-Y. Yang, K.
Chaudhuri, "Connecting Interpretability and Robustness in Decision Trees through Separation", 2021).
Every method's training radius is chosen on the training part alone, by 5-fold cross-validation:
of the candidates whose accuracy is within one standard error of the best one, that with the
largest mean radius. ± is the standard deviation over the seeds.""",
    ("scikit-learn",),
    ("tabular", "attack_model_cost"),
    """\
## Limitations

- The splits are ours: the published ones are not known. A difference of a point of accuracy is
  within the noise on heart and diabetes.
- A mean over right points only flatters whoever gets the hard points wrong; compare both figures.
- groot-trees runs in an environment of its own, with NumPy 1; radii of its trees come from their
  leaves, by our own code. One depth, four radii.""",
)

WIDE = Report(
    "wide",
    """\
# Many features: Redoubt and LIBLINEAR compared

Written by `./dev bench wide`. All ratios come from this one run; solvers take turns, so that noise
on the machine hits all of them. Times are medians over the repetitions, on the clock and in brackets
of processor time; so are ratios, and above 1 means that Redoubt is faster. A target counts as reached
if both reach it. The first two sections have tables that are dense in memory, the others sparse
matrices.""",
    ("scikit-learn",),
    ("wide", "wide_sparse"),
    """\
## Limitations

- Made-up words are independent of each other, which real ones are not.
- Random points in many dimensions are nearly orthogonal, which suits coordinate descent. The
  correlated columns are there for the opposite.
- LIBLINEAR penalises the bias and often stays further than 1e-4 from the optimum of our objective: such
  rows show the last setting tried (intercept_scaling 10, tol 1e-4), which need not be its fastest.
- Robust SVMs on the correlated columns end at a limit, of time or of Newton steps, far from the optimum.
- The robust SVMs of separable points (objective 0) look for the plane of least norm.""",
)

FRAMES = Report(
    "frames",
    """\
# Frames of texts and numbers

Written by `./dev bench frames`. bank.csv (4,521 rows, 9 text columns), one-hot encoded in a pipeline
with logistic regression.""",
    ("scikit-learn", "pandas"),
    ("frames",),
    """\
## Limitations

- One row after a `predict` finds the processor's caches full of other things: hence the difference to
  stored answers.
- The first row of a model and an adversary prepares the search and takes longer. So do rows of more
  than two classes, of models with more than 256 features, and calls with limits: they are not prepared.
- Differences of two calls that each take ten times as long: on a busy machine they scatter.""",
)

SCALE = Report(
    "scale",
    """\
# Beyond one machine's memory

Written by `./dev bench scale`. Training by passes over Parquet and Dask collections
([how](../../docs/scale.md)), with what is proven at the end. Targets are printed next to the
measurements, including missed ones.""",
    ("scikit-learn", "dask", "distributed", "pyarrow"),
    ("scale_training", "scale_cases", "scale_dask"),
    """\
## Limitations

- Made data, with margins that suit or do not suit the method on purpose. Real tables have both.
- Files in the page cache; from a disk or a network, reading is most of the time.
- Memory is that of this process. What the page cache holds is not counted.
- The machine may have been busy with other things: compare processor times, not seconds.
- One machine: a LocalCluster shows that results do not depend on workers, not how a network does.""",
)

STREAM = Report(
    "stream",
    """\
# Streams: rows that do not fit into memory

Written by `./dev bench stream`. Normal points of two classes with 20 features, a vote of 15 bagged
planes, l2 certificates. Every run is a process of its own. Memory is the greatest resident set that
the kernel reports for it (VmHWM), in MB. Processor time counts all threads; ratios are of processor
times per row, since the machine may be busy with other things. Runs that are compared take turns.""",
    ("pyarrow",),
    ("stream",),
    """\
## Limitations

- One file of one kind of table, read from the page cache. A slow disk or network would show.
- The machine was shared: compare processor times, not seconds. On the clock a stream lost more than
  one call did, because each part of 65,536 rows waits for the slower of its threads.
- One call with many rows is not the fastest way to use arrays (its results alone are larger than any
  cache), so a speed above 1 is no feat.
- The joined output is written at the end of a stream, on one thread.
- Certificates take most of the time here. For one plane, or for `predict`, reading and writing do.
- The program's figures include reading CSV and printing every number with all of its digits.""",
)

FILTERS = Report(
    "filters",
    """\
# Spam filters against a spammer who adds words

Written by `./dev bench filters`. What is left of a linear filter when the spammer knows it and adds
the words that suit him best: the SVM, three boxes of weights, the budget hinge and votes of them, each at
the same rate of false positives.""",
    ("scikit-learn",),
    ("filters",),
    """\
## Limitations

- One collection of short messages. A spammer who adds 50 words to an SMS is easily seen by other
  means; on larger documents and on programs he is not.
- The spammer only adds, knows the filter, and leaves what he sells as it is.
- Settings are chosen for all budgets together. A box that is chosen for one budget does better there.
- Votes take the settings of their planes: nothing is chosen for the vote but its quota.""",
)

COUNTING = Report(
    "counting",
    """\
# How fast attacks are counted

Written by `./dev bench counting`. Exact certificates of wide votes in `norm="l0"`, and of votes of stumps, which
need no search, in every norm.""",
    ("scikit-learn",),
    ("counting",),
    """\
## Limitations

- Made-up words are independent of each other, which real ones are not.
- Planes are trained on 1,000 rows, and nearly all rows can be changed by a few words.""",
)

REPORTS = {
    report.name: report
    for report in (
        *(SVM, WIDE, CERTIFICATES, GROWTH, TRAININGS, METHODS, METHODS_LINF, DEFAULTS, GIVEN_RADIUS),
        *(CLASSES, READING, STREAM, SCALE, TABULAR, FRAMES, FILTERS, COUNTING),
    )
}
