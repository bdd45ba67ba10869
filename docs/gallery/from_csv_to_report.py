"""
From CSV to report
==================

A table of measurements goes in. Out come a model file, a table with a certificate for every row,
and a page with a picture to hand on. The ``redoubt`` program trains and evaluates, Python draws;
the two share the model file.
"""

# %%
# The table
# ---------
#
# Any CSV file with a header and one label column will do. Here it is made from the bundled
# diabetes data: eight measurements of 768 women, and whether they were found to be diabetic.
# Every fifth row is kept back.

import csv
import subprocess

import numpy as np

import redoubt
from redoubt import datasets
from redoubt.displays import AttackCurveDisplay

names = ["pregnancies", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age"]
X, y, _, _ = datasets.load("diabetes")
for path, rows in (
    ("patients.csv", [row for row in range(len(X)) if row % 5]),
    ("new_patients.csv", range(0, len(X), 5)),
):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "diagnosis"])
        writer.writerows([*X[row], "healthy" if y[row] > 0 else "diabetic"] for row in rows)

# %%
# The model
# ---------
#
# In a shell these are three lines; from a notebook they are called like this. The program scales
# the measurements, trains a vote of planes, and writes everything needed later into one file:
# planes, scaling, column names, labels, and how it was trained.


def run(command):
    print("$", command)
    print(subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout)


run(
    "redoubt train patients.csv --label diagnosis --positive diabetic --method ens-c "
    "--radius 0.5 --class-weight balanced --radii 0,0.25,0.5 --model model.json"
)

# %%
# That table is about the training data. What counts is data that the model has not seen:

run("redoubt evaluate model.json new_patients.csv --radii 0,0.1,0.25,0.5,1")

# %%
# One certificate per row, for whoever decides about a patient. :doc:`The manual </program>`
# explains the columns.

run("redoubt certify model.json new_patients.csv --out certificates.csv")
with open("certificates.csv", newline="") as file:
    for line in list(csv.reader(file))[:6]:
        print(", ".join(line))

# %%
# The same in Python
# ------------------
#
# ``load_model`` reads the file that the program wrote. The radii are equal, to the last digit:
# program and package are the same code.

model = redoubt.load_model("model.json")
with open("new_patients.csv", newline="") as file:
    patients = list(csv.DictReader(file))
X_new = np.array([[float(patient[name]) for name in names] for patient in patients])
y_new = np.array([patient["diagnosis"] for patient in patients])

result = redoubt.certify(model, X_new, y_new)  # the norm and the units of the file
with open("certificates.csv", newline="") as file:
    written = np.array([float(row["radius"]) for row in csv.DictReader(file)])
print("rows:", len(written), "  largest difference:", np.abs(written - result.radius).max())

# %%
# The report
# ----------
#
# Three things belong in it: the curve, a table of it, and the size of the unit in the original
# measurements. Here a radius of 1 is one standard deviation of any single measurement, or less of
# several.

radii = np.array([0.0, 0.1, 0.25, 0.5, 1.0])
display = AttackCurveDisplay.from_certificates(
    result,
    attack_radii=np.linspace(0, 1, 101),
    ceiling_points=model.transform(X_new),
    name="vote of 15",
)
display.ax_.set_xlabel(r"Attack radius ($\ell_2$, standard deviations)")
display.figure_.savefig("attack_curve.png", dpi=120)

# %%
# An attack of half a standard deviation makes this model far worse than a constant answer. In
# glucose alone that is about 16 units. Would two readings on two days agree that well? An accuracy
# of 77 % does not make you ask; the report does.

curve = redoubt.attack_curve(result, y_new, radii)
lines = [
    "# Diabetes model: what it can bear",
    "",
    f"Trained by `{model.method}`: {model.ensemble.n_planes} planes that vote.",
    f"Tested on {len(y_new)} patients that it has never seen.",
    f"Always giving the same answer is right for {curve.constant_accuracy:.1%} of them.",
    "",
    "| every patient moved by up to | still right |",
    "|---|---|",
    *(f"| {radius:g} | {share:.1%} |" for radius, share in zip(radii, curve.accuracy, strict=True)),
    "",
    "![Accuracy under attack](attack_curve.png)",
    "",
    "A move of 1 is, for one measurement alone: "
    + ", ".join(f"{name} {scale:.3g}" for name, scale in zip(names, model.scale, strict=True))
    + ". Moves of several measurements add up by their squares.",
]
with open("report.md", "w") as file:
    file.write("\n".join(lines) + "\n")
print("\n".join(lines))
