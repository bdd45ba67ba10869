"""Mistakes of users: each is told in one line that names its place, and ends with exit code 2."""

import json
import re
import shlex
import subprocess

import pytest

FILES = {
    "points.csv": "height,width,kind\n-3,1,low\n-1,2,low\n1,1,high\n4,2,high\n-2,1,low\n2,1,high\n",
    "empty.csv": "",
    "ragged.csv": "a,b,kind\n1,2,x\n3,4\n",
    "text.csv": "a,b,kind\n1,2,x\n3,oops,y\n",
    "infinite.csv": "a,b,kind\n1,2,x\n3,inf,y\n",
    "gap.csv": "a,b,kind\n1,2,x\n3,,y\n",
    "one_class.csv": "a,b,kind\n1,2,x\n3,4,x\n",
    "three.csv": "a,b,kind\n1,2,x\n3,4,y\n5,6,z\n",
    "one_row.csv": "a,b,kind\n1,2,x\n",
    "header_only.csv": "a,b,kind\n",
    "comma.csv": "a;b;kind\n1,5;2;x\n3;4;y\n",
    "commas.csv": "age;b;kind\n" + "".join(f"{i},5;{i};{'xy'[i % 2]}\n" for i in range(40)) + "7;?;x\n",
    "labels_only.csv": "kind\nx\ny\n",
    "quote.csv": 'a,b,kind\n1,"2,x\n3,4,y\n',
    "zero.csv": b"a,b,kind\n1,\x00,x\n3,4,y\n",
    "huge.csv": "a,b,kind\n1,1e999,x\n3,4,y\n",
    "bad.libsvm": "+1 1:2 2:3\n-1 2:1 1:5\n",
    "bad2.libsvm": "+1 1:2 x:3\n-1 1:1\n",
    "weights.csv": "a,w,kind\n1,1,x\n2,-1,y\n3,1,x\n",
    "noweight.csv": "a,w,kind\n1,0,x\n2,0,y\n3,0,x\n",
    "narrow.csv": "height,kind\n1,low\n",
    "bare.csv": "1\n2\n3\n",
    "strange.csv": "height,width,kind\n1,2,medium\n",
    "unlabelled.csv": "height,width\n1,2\n",
    "lows.csv": "height,width,kind\n1,2,low\n2,2,low\n",
    "radii.csv": "height,width,reach,kind\n1,2,-1,low\n",
    "utf16.csv": "a,b\n1,2\n".encode("utf-16"),
    "latin1.csv": "a,straße,kind\n1,2,x\n3,4,y\n".encode("latin-1"),
    "two words.csv": "a,b,kind\n1,2,Käse\n3,4,y\n".encode("latin-1"),
    "table.parquet": b"PAR1\x15\x04\x00\x00PAR1",
    "words.csv": "a,b,kind\n1,red,x\n3,green,y\n5,blue,y\n",
    "first.csv": "Spam,words,caps\nyes,1,3\nno,2,4\nyes,3,5\n",
    "many.csv": "Spam,a b,c,time\n1,0,7,5.5\n0,0,8,6.5\n1,1,9,7.5\n",
    "many.libsvm": "1 1:0\n2 1:1\n3 1:1\n",
    "stray.csv": "a,b,kind\n"
    + "".join(f"{i},{i},{'xy'[i % 2]}\n" for i in range(40))
    + "7,n.a.,x\n",
    "no_label.csv": "a,b,kind\n1,2,x\n3,4,\n5,6,y\n",
    "later.csv": "height,width,kind\n1,wide,low\n",
    "later_gap.csv": "height,width,kind\n1,,low\n",
    "unseen.csv": "a,b\n1,pink\n",
    "half.csv": "b\nred\n",
    "columns_twice.csv": "a,b,b\n1,red,red\n",
    "text_rules.json": '{"norm": "l2", "scale": {"b": 2}}',
    "cost_rules.json": '{"norm": "l2", "switch_cost": {"a": 2}}',
}


def edited(text, **fields):
    """The text of a model file with other fields and, as if made by hand, without a checksum."""
    model = json.loads(text)
    del model["checksum"]
    return json.dumps({**model, **fields})


# How each bad model file comes from a good one.
MODELS = {
    "cut.json": lambda text: text[: text.index('"planes"')],
    "newer.json": lambda text: re.sub(
        '"library_version": "[^"]*"',
        '"library_version": "9.9.9"',
        text.replace('"format_version": 3', '"format_version": 999'),
    ),
    "other.json": lambda text: text.replace("redoubt model", "some model"),
    "no_planes.json": lambda text: edited(text, planes=[]),
    "short_plane.json": lambda text: edited(text, planes=[{"w": [1.0], "b": 0.0}]),
    "word_plane.json": lambda text: edited(text, planes=[{"w": [1.0, "x"], "b": 0.0}]),
    "one_class.json": lambda text: edited(text, classes=["low"]),
    "same_classes.json": lambda text: edited(text, classes=["low", "low"]),
    "no_scale.json": lambda text: edited(
        text, scaler={"kind": "standard", "offset": [0.0, 0.0], "scale": [1.0, 0.0]}
    ),
    "no_names.json": lambda text: edited(text, feature_names=["height"]),
    "more.json": lambda text: edited(text, surprise=1),
    "list.json": lambda text: "[]",
    "twice.json": lambda text: '{"format": "redoubt model", "format": "redoubt model"}',
    "deep.json": lambda text: "[" * 100_000,
    "huge.json": lambda text: '{"format": 1e999}',
    "latin.json": lambda text: b'{"format": "\xe9"}',
    "empty.json": lambda text: "",
    "bare.json": lambda text: edited(
        text,
        training={k: v for k, v in json.loads(text)["training"].items() if k != "ranges"},
    ),
    "rules.json": lambda text: '{"norm": "l2", "frozen": ["height"]}',
}

# A command line, and what follows "redoubt: " on standard error.
MISTAKES = [
    (
        "train points.csv --method x",
        (
            "--method: expected 'svm', 'ro-svm', 'svm-ens', 'ens-e', 'ens-r', 'ens-h' or "
            "'ens-c', got 'x'"
        ),
    ),
    ("train nothing.csv", "nothing.csv: no such file"),
    ("evaluate model.json", "'redoubt evaluate': DATA is missing"),
    ("predict", "'redoubt predict': MODEL is missing"),
    (
        "frob",
        (
            "command: expected 'train', 'tune', 'predict', 'certify', 'attack', 'evaluate', "
            "'explain', 'attack-model', 'check', 'card', 'adjust', 'info', 'datasets', 'reproduce', 'completion' or "
            "'man', got 'frob'"
        ),
    ),
    (
        "tarin points.csv",
        (
            "command: expected 'train', 'tune', 'predict', 'certify', 'attack', 'evaluate', "
            "'explain', 'attack-model', 'check', 'card', 'adjust', 'info', 'datasets', 'reproduce', 'completion' or "
            "'man', got 'tarin'; did you "
            "mean 'train'?"
        ),
    ),
    ("train points.csv extra.csv", "'redoubt train': unexpected 'extra.csv' after DATA"),
    (
        "train points.csv --bogus",
        "--bogus: unknown option of 'redoubt train'; 'redoubt train --help' lists them",
    ),
    (
        "train points.csv --plane 3",
        "--plane: unknown option of 'redoubt train'; did you mean '--planes'?",
    ),
    (
        "train points.csv --witness",
        "--witness: unknown option of 'redoubt train'; it is an option of 'redoubt certify'",
    ),
    ("train points.csv --model", "--model: expected a value, got nothing"),
    ("train points.csv --radius --C 3", "--radius: expected a value, got the option '--C'"),
    ("train points.csv --radius 1 --radius 2", "--radius: given 2 times; specify it once"),
    ("train points.csv --radius -1", "--radius: expected a number >= 0 or 'auto', got '-1'"),
    ("train points.csv --radius nan", "--radius: expected a number >= 0 or 'auto', got 'nan'"),
    ("train points.csv --radius 1e", "--radius: expected a number >= 0 or 'auto', got '1e'"),
    ("train points.csv --radii 0,x", "--radii: expected a number >= 0, got 'x'"),
    ("train points.csv --radii ,", "--radii: expected a value, got nothing"),
    ("train points.csv --norm l3", "--norm: expected 'l1', 'l2', 'linf' or 'l0', got 'l3'"),
    ("train points.csv --scale log", "--scale: expected 'standard', 'minmax', 'maxabs' or 'none', got 'log'"),
    (
        "train points.csv --missing mean",
        "--missing: expected 'error', 'drop', 'median', 'category' or 'indicator', got 'mean'",
    ),
    ("train points.csv --class-weight 2", "--class-weight: expected 'balanced' or 'none', got '2'"),
    ("train points.csv --threads 1.5", "--threads: expected an integer >= 0, got '1.5'"),
    ("train points.csv --threads -2", "--threads: expected an integer >= 0, got '-2'"),
    (
        "train points.csv --threads 99999999999",
        "--threads: expected an integer >= 0, got '99999999999'",
    ),
    (
        "train points.csv --seed 1",
        "--seed: has no effect with --method ro-svm; it is for svm-ens, ens-c and --holdout",
    ),
    ("train points.csv --holdout 0", "--holdout: expected a number above 0 and below 1, got '0'"),
    ("train points.csv --holdout 1", "--holdout: expected a number above 0 and below 1, got '1'"),
    (
        "train points.csv --holdout 0.5 --test points.csv",
        "--holdout: specify --holdout or --test, not both",
    ),
    ("train points.csv --quiet --verbose", "--quiet: specify --quiet or --verbose, not both"),
    ("train points.csv --format xml", "--format: expected 'table', 'csv' or 'json', got 'xml'"),
    (
        "train points.csv --out nowhere/x.csv",
        "nowhere/x.csv: cannot write the file: No such file or directory",
    ),
    ("train points.csv --model .", ".: cannot write the file: Is a directory"),
    ("train points.csv --model -", "--model: cannot be standard output; specify a file"),
    (
        "train points.csv --label colour",
        "points.csv:1: label column 'colour' not found; the columns are 'height', 'width', 'kind'",
    ),
    (
        "train points.csv --label 9",
        "points.csv:1: label column '9' not found; the columns are 'height', 'width', 'kind'",
    ),
    ("train points.csv --positive medium", "--positive: expected 'high' or 'low', got 'medium'"),
    (
        "train points.csv --weight-column kind",
        "--weight-column: expected a column other than the label, got 'kind'",
    ),
    (
        "train points.csv --weight-column nope",
        "points.csv:1: weight column 'nope' not found; the columns are 'height', 'width', 'kind'",
    ),
    (
        "train points.csv --radius-column height --radius 1",
        "--radius-column: specify --radius or --radius-column, not both",
    ),
    (
        "train weights.csv --weight-column w",
        "weights.csv:3:2: expected a weight >= 0, found -1 in column 'w'",
    ),
    ("train noweight.csv --weight-column w", "noweight.csv: expected a weight above 0, found none"),
    (
        "train bwc",
        (
            "DATA: expected a file, '-' or a bundled set (gaussian, bcw, digits3, digits7, "
            "breastcancer, diabetes, heart), got 'bwc'; did you mean 'bcw'?"
        ),
    ),
    ("train bcw:half", "DATA: expected 'bcw', 'bcw:train' or 'bcw:test', got 'bcw:half'"),
    (
        "train heart:train",
        (
            "DATA: expected a set with a published split (gaussian, bcw, digits3, digits7), "
            "got 'heart'"
        ),
    ),
    ("train bcw --label x", "--label: does not apply to the bundled data 'bcw'"),
    ("train .", ".: expected a file, found a directory"),
    ("train empty.csv", "empty.csv: the file is empty"),
    ("train ragged.csv", "ragged.csv:3: expected 3 fields, found 2"),
    (
        "train text.csv",
        (
            "text.csv:3:2: expected a number, found 'oops' in column 'b'; --one-hot turns text "
            "into 0/1 columns"
        ),
    ),
    (
        "train words.csv",
        (
            "words.csv:2:2: expected a number, found 'red' in column 'b'; --one-hot turns text "
            "into 0/1 columns"
        ),
    ),
    (
        "train first.csv",
        (
            "first.csv:2:1: expected a number, found 'yes' in column 'Spam'; --one-hot turns text "
            "into 0/1 columns, --label Spam makes it the label"
        ),
    ),
    (
        "train first.csv --label caps",
        (
            "first.csv:2:1: expected a number, found 'yes' in column 'Spam'; --one-hot turns text "
            "into 0/1 columns"
        ),
    ),
    (
        "train first.csv --one-hot",
        (
            "first.csv: expected two classes, or more with at least 2 rows each, in the label column 'caps', found 3: '3', '4', '5'; "
            "two values are in 'Spam', so perhaps --label Spam"
        ),
    ),
    (
        "train stray.csv --one-hot",
        (
            "stray.csv:42:2: expected a number, found 'n.a.' in column 'b', where 40 of 41 values "
            "are numbers; correct it, empty it and use --missing drop or median, or treat the column as "
            "text with --text-columns b"
        ),
    ),
    (
        "train stray.csv --text-columns c",
        "stray.csv:1: text column 'c' not found; the columns are 'a', 'b', 'kind'",
    ),
    ("train infinite.csv", "infinite.csv:3:2: expected a finite number, found 'inf' in column 'b'"),
    (
        "train gap.csv",
        (
            "gap.csv:3:2: expected a number, found a missing value '' in column 'b'; --missing "
            "drop leaves out such rows, --missing median fills them in"
        ),
    ),
    (
        "train no_label.csv",
        (
            "no_label.csv:3:3: expected a value, found a missing value '' in column 'kind'; "
            "--missing drop leaves out such rows"
        ),
    ),
    (
        "train one_class.csv",
        "one_class.csv: expected two classes in the label column 'kind', found one: 'x'",
    ),
    (
        "train three.csv",
        "three.csv: expected two classes, or more with at least 2 rows each, in the label column 'kind', found 3: 'x', 'y', 'z'",
    ),
    (
        "train many.csv",
        (
            "many.csv: expected two classes, or more with at least 2 rows each, in the label column 'time', found 3: '5.5', '6.5', "
            "'7.5'; two values are in 'Spam', 'a b', so perhaps --label Spam"
        ),
    ),
    (
        "train many.libsvm",
        "many.libsvm: expected two classes, or more with at least 2 rows each, in the label column 'label', found 3: '1', '2', '3'",
    ),
    ("train one_row.csv", "one_row.csv: expected at least 2 rows of data, found 1"),
    ("train header_only.csv", "header_only.csv: expected at least 2 rows of data, found none"),
    (
        "train comma.csv",
        (
            "comma.csv:2:1: expected a number with a decimal point, found '1,5' with a "
            "decimal comma in column 'a'; write the numbers with a point, as pandas.read_csv(.., "
            'sep=";", decimal=",").to_csv(..) does'
        ),
    ),
    (
        "train commas.csv --one-hot --missing drop",
        (
            "commas.csv:2:1: expected a number with a decimal point, found '0,5' with a decimal "
            "comma in column 'age', as in 40 of 41 values; write the numbers with a point, as "
            'pandas.read_csv(.., sep=";", decimal=",").to_csv(..) does, or name categories with '
            "--text-columns age"
        ),
    ),
    (
        "train labels_only.csv",
        "labels_only.csv: expected at least one feature column besides the label, found none",
    ),
    ("train quote.csv", "quote.csv:2:2: the quoted field is not closed"),
    ("train zero.csv", "zero.csv:2: expected text, found a NUL byte"),
    (
        "train utf16.csv",
        (
            "utf16.csv: expected UTF-8 text, found UTF-16; convert it with iconv -f utf-16 -t "
            "utf-8 utf16.csv"
        ),
    ),
    (
        "train latin1.csv",
        (
            "latin1.csv:1: expected UTF-8 text, found the byte '\\xdf'; if it is Latin-1, convert "
            "it with iconv -f latin1 -t utf-8 latin1.csv"
        ),
    ),
    (
        "train 'two words.csv'",
        (
            "two words.csv:2: expected UTF-8 text, found the byte '\\xe4'; if it is Latin-1, "
            "convert it with iconv -f latin1 -t utf-8 FILE"
        ),
    ),
    (
        "train table.parquet",
        (
            "table.parquet: expected text, found a Parquet file; python -m redoubt.stream takes it "
            "for predict, certify, attack and evaluate, redoubt.scale.fit trains from it, or convert it to CSV, in Python with "
            "pandas.read_parquet(..).to_csv(.., index=False)"
        ),
    ),
    (
        "train huge.csv",
        "huge.csv:2:2: expected a number of at most 1.7e308 in size, found '1e999' in column 'b'",
    ),
    ("train bad.libsvm", "bad.libsvm:2:3: expected an index above 2, found 1"),
    ("train bad2.libsvm", "bad2.libsvm:1:3: expected index:value, found 'x:3'"),
    (
        "train points.csv --test narrow.csv",
        (
            "narrow.csv:1: column 'width' of the training file not found; the columns are "
            "'height', 'kind'"
        ),
    ),
    (
        "train points.csv --method ens-c --radius 0",
        "--radius: expected a number > 0 with --method ens-c, got 0",
    ),
    ("train points.csv --method ens-e --planes 0", "--planes: expected an integer >= 1, got '0'"),
    ("train points.csv --method ens-e --resume", "--resume: specify --checkpoint FILE as well"),
    ("predict nothing.json points.csv", "nothing.json: no such file"),
    (
        "predict points.csv points.csv",
        "points.csv: expected a model file (JSON); are MODEL and DATA swapped?",
    ),
    ("predict . points.csv", ".: expected a file, found a directory"),
    ("predict - -", "DATA: MODEL is already read from standard input; specify a file"),
    (
        "predict model.json narrow.csv",
        (
            "narrow.csv:1: column 'width' of the training file not found; the columns are "
            "'height', 'kind'"
        ),
    ),
    (
        "predict model.json bare.csv",
        "bare.csv: expected 3 columns as in the training file, or 2 without the label, found 1",
    ),
    ("predict model.json bcw", "DATA: expected 2 features, got 9"),
    ("predict model.json empty.csv", "empty.csv: the file is empty"),
    (
        "predict model.json strange.csv",
        "strange.csv:2:3: expected a label 'high' or 'low', found 'medium'",
    ),
    (
        "predict model.json points.csv --label height",
        "--label: 'height' is a feature of the model",
    ),
    (
        "predict model.json points.csv --label nope",
        "--label: DATA has no column 'nope'",
    ),
    (
        "predict model.json later.csv",
        "later.csv:2:2: expected a number, found 'wide' in column 'width'",
    ),
    (
        "predict model.json later_gap.csv",
        "later_gap.csv:2:2: expected a number, found a missing value '' in column 'width'",
    ),
    ("certify model.json points.csv --norm l3", "--norm: expected 'l1', 'l2', 'linf' or 'l0', got 'l3'"),
    (
        "certify model.json points.csv --time-limit x",
        "--time-limit: expected a number >= 0, got 'x'",
    ),
    (
        "certify model.json points.csv --node-limit -1",
        "--node-limit: expected an integer >= 0, got '-1'",
    ),
    (
        "certify model.json points.csv --solver gurobi",
        "--solver: expected 'native', 'mip' or 'enumerate', got 'gurobi'",
    ),
    ("attack model.json points.csv", "--radius: specify --radius or --radius-column"),
    (
        "attack model.json points.csv --radius 1 --radius-column width",
        "--radius: specify --radius or --radius-column, not both",
    ),
    (
        "attack model.json points.csv --radius 1 --adversary heuristic --solver mip",
        "--solver: applies to --adversary exact or relaxed only, not to --adversary heuristic",
    ),
    (
        "attack model.json points.csv --radius 1 --rule published",
        "--rule: applies to --adversary heuristic only, not to --adversary exact",
    ),
    (
        "attack model.json radii.csv --radius-column reach",
        "radii.csv:2:3: expected a radius >= 0, found -1 in column 'reach'",
    ),
    (
        "attack model.json points.csv --radius-column width",
        "--radius-column: expected a column other than the features and the label, got 'width'",
    ),
    (
        "certify model.json points.csv --frozen heigt",
        (
            "--frozen: expected the name or number (1 to 2) of a feature, found 'heigt'; did you "
            "mean 'height'?"
        ),
    ),
    (
        "attack model.json points.csv --radius 1 --increase-only height --decrease-only 1",
        (
            "--decrease-only: expected features that are not in --increase-only, found 'height', "
            "which is in both"
        ),
    ),
    (
        "explain model.json points.csv --frozen height,height",
        "--frozen: expected each feature once, found 'height' twice",
    ),
    (
        "evaluate model.json points.csv --bounds x",
        "--bounds: expected 'data', got 'x'",
    ),
    (
        "certify bare.json points.csv --bounds data",
        "--bounds: the model does not know the ranges of its training data; state bounds in an --attack-model FILE",
    ),
    (
        "certify model.json points.csv --frozen height --attack-model rules.json",
        "--frozen: cannot be combined with --attack-model; state the rule in the file",
    ),
    (
        "train points.csv --bounds data --attack-model rules.json",
        "--bounds: cannot be combined with --attack-model; state the rule in the file",
    ),
    (
        "tune points.csv --decrease-only depth",
        (
            "--decrease-only: expected the name or number (1 to 2) of a feature, found 'depth'; the "
            "features are 'height', 'width'"
        ),
    ),
    ("evaluate model.json unlabelled.csv", "DATA: no labels found; name their column with --label"),
    ("card model.json points.csv --format pdf", "--format: expected 'html' or 'markdown', got 'pdf'"),
    ("card model.json points.csv --proof no.jsonl", "no.jsonl: cannot be read"),
    (
        "card model.json points.csv --out no/such/card.html",
        "no/such/card.html: cannot write the file: No such file or directory",
    ),
    ("evaluate model.json lows.csv", "DATA: all points are of class 'low'; accuracy under attack needs both classes"),
    ("evaluate model.json points.csv --seed 1", "--seed: has no effect without --holdout; specify both or neither"),
    (
        "evaluate model.json points.csv --holdout 2",
        "--holdout: expected a number above 0 and below 1, got '2'",
    ),
    ("evaluate model.json points.csv --radii -1", "--radii: expected a number >= 0, got '-1'"),
    (
        "tune points.csv --method svm",
        "--method: 'svm' has neither a radius nor several planes to choose",
    ),
    ("tune points.csv --folds 1", "--folds: expected an integer >= 2, got '1'"),
    ("tune points.csv --folds 5", "DATA: expected at least 5 points of each class, got 3"),
    ("tune points.csv --radius 0", "--radius: expected a number > 0 with --method ens-c, got 0"),
    (
        "tune points.csv --method ro-svm --planes 3",
        "--planes: applies to --method svm-ens, ens-e, ens-r, ens-h or ens-c only, not to --method ro-svm",
    ),
    (
        "tune points.csv --radius-column height",
        (
            "--radius-column: unknown option of 'redoubt tune'; it is an option of 'redoubt "
            "train' and 'redoubt attack'"
        ),
    ),
    ("tune points.csv --score auc", "--score: expected 'auto', 'accuracy' or 'balanced', got 'auc'"),
    ("tune points.csv --choose robust", "--choose: expected 'best' or 'no-cost', got 'robust'"),
    ("info", "'redoubt info': MODEL is missing"),
    ("info nothing.json", "nothing.json: no such file"),
    (
        "info points.csv",
        "points.csv: expected a model file (JSON), found 'height,width,kind'",
    ),
    ("datasets extra", "'redoubt datasets': takes no arguments, got 'extra'"),
    ("completion fish", "SHELL: expected 'bash' or 'zsh', got 'fish'"),
    ("completion", "'redoubt completion': SHELL is missing"),
    ("man page", "'redoubt man': takes no arguments, got 'page'"),
    (
        "train points.csv --method ens-e --epochs 3",
        "--epochs: applies to --method ens-c only, not to --method ens-e",
    ),
    (
        "train points.csv --method ens-c --C 3",
        "--C: applies to --method svm, svm-ens, ens-e, ens-r or ens-h only, not to --method ens-c",
    ),
    (
        "train points.csv --method svm-ens --radius 3",
        "--radius: applies to --method ro-svm, ens-e, ens-r, ens-h or ens-c only, not to --method svm-ens",
    ),
    (
        "train points.csv --method svm --radius-column width",
        "--radius-column: applies to --method ro-svm, ens-e, ens-r, ens-h or ens-c only, not to --method svm",
    ),
    (
        "train points.csv --method ens-e --rule published",
        "--rule: applies to --method ens-h only, not to --method ens-e",
    ),
    (
        "train points.csv --time-limit 3",
        (
            "--time-limit: applies to --method svm-ens, ens-e, ens-r, ens-h or ens-c only, not to "
            "--method ro-svm"
        ),
    ),
    ("train points.csv --method ens-e --checkpoint -", "--checkpoint: cannot be standard output; specify a file"),
    (
        "train points.csv --method ens-e --checkpoint c --model c",
        "--checkpoint: 'c' is the file of --model; specify another one",
    ),
    (
        "train points.csv --method ens-e --checkpoint none/c",
        "none/c: cannot write the file: No such file or directory",
    ),
    (
        "train points.csv --planes 010 --method ens-e",
        "--planes: expected an integer >= 1, got '010'",
    ),
    ("train points.csv --C 0 --method svm", "--C: expected a number > 0, got '0'"),
    ("train gaussian --test bcw", "--test: expected 5 features, got 9"),
    (
        "train digits3 --test digits7",
        "--test: expected the classes 'not 3' and '3', got the classes 'not 7' and '7'",
    ),
    ("train - --test -", "--test: DATA is already read from standard input; specify a file"),
    (
        "train bad.libsvm --weight-column 1",
        "--weight-column: LIBSVM text has no such column: '1'",
    ),
    (
        "info cut.json",
        (
            "cut.json:22: not valid JSON, so cut short or damaged: syntax error while parsing "
            "object key - unexpected end of input; expected string literal"
        ),
    ),
    (
        "info newer.json",
        (
            "newer.json: format_version: expected at most 7, found 999: the model was written "
            "by a newer redoubt 9.9.9"
        ),
    ),
    ("info other.json", "other.json: format: expected 'redoubt model', found 'some model'"),
    (
        "info no_planes.json",
        "no_planes.json: planes: expected a list of at least 1 plane, found a list of 0",
    ),
    (
        "info short_plane.json",
        "short_plane.json: planes[0].w: expected a list of 2 numbers, found a list of 1",
    ),
    ("info word_plane.json", "word_plane.json: planes[0].w[1]: expected a number, found 'x'"),
    (
        "info one_class.json",
        "one_class.json: classes: expected a list of 2 texts, found a list of 1",
    ),
    (
        "info same_classes.json",
        "same_classes.json: classes: expected two different classes, got 'low' and 'low'",
    ),
    ("info no_scale.json", "no_scale.json: scaler.scale[1]: expected a number above 0, found 0"),
    (
        "info no_names.json",
        (
            "no_names.json: feature_names: expected a list of 2, as coding has features, "
            "found a list of 1"
        ),
    ),
    ("info more.json", "more.json: unknown field 'surprise'"),
    ("info list.json", "list.json: expected an object, found a list of 0"),
    ("info twice.json", "twice.json: the field 'format' occurs more than once"),
    ("info deep.json", "deep.json: expected at most 8 levels, found more"),
    ("info huge.json", "huge.json: expected a number of at most 1.7e308 in size, found '1e999'"),
    (
        "info latin.json",
        (
            "latin.json:1: expected UTF-8 text, found the byte '\\xe9'; if it is Latin-1, convert "
            "it with iconv -f latin1 -t utf-8 latin.json"
        ),
    ),
    ("info empty.json", "empty.json: the file is empty"),
    (
        "certify words.json words.csv --frozen c",
        "--frozen: expected the name of a column, found 'c'; the columns are 'a', 'b'",
    ),
    (
        "certify words.json words.csv --increase-only b",
        (
            "--increase-only: expected a column of numbers, found the text column 'b', which can "
            "be frozen or have a switch_cost"
        ),
    ),
    (
        "certify words.json words.csv --attack-model text_rules.json",
        (
            "text_rules.json: scale.b: expected a column of numbers, found the text column 'b', "
            "which can be frozen or have a switch_cost"
        ),
    ),
    (
        "certify words.json words.csv --attack-model cost_rules.json",
        "DATA: expected values within the attack model's range [0, 1], got 3 for 'a' in row 2",
    ),
    (
        "certify model.json points.csv --attack-model cost_rules.json",
        (
            "cost_rules.json: switch_cost: expected the name or number (1 to 2) of a feature, found "
            "'a'; the features are 'height', 'width'"
        ),
    ),
    (
        "predict words.json unseen.csv",
        (
            "unseen.csv:2:2: expected a category of the training file ('blue', 'green', 'red'), "
            "found 'pink'; a model trained with --unseen other takes it"
        ),
    ),
    (
        "predict words.json half.csv",
        "half.csv:1: column 'a' of the training file not found; the columns are 'b'",
    ),
    (
        "predict words.json columns_twice.csv",
        "columns_twice.csv:1: the column name 'b' occurs more than once",
    ),
    ("train words.csv --unseen zeros", "--unseen: expected 'error' or 'other', got 'zeros'"),
    ("attack-model", "'redoubt attack-model': DATA is missing"),
    ("attack-model bcw", "DATA: expected a file, got the bundled data 'bcw'"),
    ("attack-model nothing.csv", "nothing.csv: no such file"),
    (
        "attack-model words.csv --label c",
        "words.csv:1: label column 'c' not found; the columns are 'a', 'b', 'kind'",
    ),
    ("attack-model words.csv --norm l3", "--norm: expected 'l1', 'l2', 'linf' or 'l0', got 'l3'"),
    (
        "attack-model words.csv --out no/rules.json",
        "no/rules.json: cannot write the file: No such file or directory",
    ),
]


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture(scope="module")
def folder(program, tmp_path_factory):
    """All files, good and bad."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name, content in FILES.items():
        write(folder / name, content)
    command = [program, "train", "points.csv", "--model", "model.json", "--quiet"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    command[2:5] = ["words.csv", "--one-hot", "--model", "words.json"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    text = (folder / "model.json").read_text()
    for name, damage in MODELS.items():
        write(folder / name, damage(text))
    return folder


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=lambda value: None)
def test_mistake(program, folder, arguments, message):
    before = sorted(folder.iterdir())
    run = subprocess.run(
        [program, *shlex.split(arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"redoubt: {message}\n")
    assert sorted(folder.iterdir()) == before


def test_a_model_that_was_changed_by_accident(program, folder):
    text = (folder / "model.json").read_text()
    (folder / "changed.json").write_text(text.replace('"n_points": 6', '"n_points": 7'))
    run = subprocess.run(
        [program, "info", "changed.json"], cwd=folder, capture_output=True, text=True, check=False
    )
    (folder / "changed.json").unlink()
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("redoubt: changed.json: checksum: expected 'crc32:")
