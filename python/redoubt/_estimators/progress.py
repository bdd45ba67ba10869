"""A progress bar on standard error, in the manner of tqdm, without needing it."""

import sys
import time
from contextlib import contextmanager


@contextmanager
def progress_bar(verbose, name, noun):
    """Yield what the library calls with (round, n_rounds, point, n_points); None if not verbose."""
    if not verbose:
        yield None
        return
    start = time.monotonic()

    def show(done, total, point, n_points):
        share = (done + (point / n_points if n_points else 0.0)) / max(1, total)
        seconds = time.monotonic() - start
        left = f", {seconds * (1 - share) / share:.0f} s left" if share > 0 else ""
        filled = int(20 * share)
        bar = "#" * filled + "." * (20 - filled)
        line = f"{name} [{bar}] {done}/{total} {noun}s, {seconds:.1f} s{left}"
        print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print(f"\r{name}: {time.monotonic() - start:.2f} s{'':<60}", file=sys.stderr, flush=True)
