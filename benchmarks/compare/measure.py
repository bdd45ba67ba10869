"""Timing and tables."""

import os
import platform
import statistics
import time
from importlib import metadata
from typing import NamedTuple


class Timing(NamedTuple):
    """Seconds over the repetitions: on the clock, and of processor time (all threads)."""

    median: float
    least: float
    cpu: float


class Cost(NamedTuple):
    """Seconds of one piece of work: on the clock, and of processor time."""

    clock: float
    cpu: float

    def __add__(self, other):
        return Cost(self.clock + other.clock, self.cpu + other.cpu)

    def shared(self, count):
        return Cost(self.clock / count, self.cpu / count)


def timed(call):
    """The cost of one call, and its answer."""
    began, cpu_began = time.perf_counter(), time.process_time()
    answer = call()
    cpu_elapsed, elapsed = time.process_time() - cpu_began, time.perf_counter() - began
    return Cost(elapsed, cpu_elapsed), answer


def median_cost(costs):
    return Cost(*(statistics.median(values) for values in zip(*costs)))


def mean_cost(costs):
    return Cost(*(statistics.fmean(values) for values in zip(*costs)))


class Entrant:
    """A solver at the start line: `prepare` runs before each timed `solve`."""

    def __init__(self, solve, prepare=None):
        self.solve = solve
        self.prepare = prepare or (lambda: None)


def race(entrants, repetitions, *, warm_up=True):
    """Time each entrant `repetitions` times, in turns, so that noise on the machine hits all.

    One untimed round comes first, unless `warm_up` is off (long runs). Returns {name: Timing}
    and {name: last answer}.
    """
    seconds = {name: [] for name in entrants}
    cpu_seconds = {name: [] for name in entrants}
    answers = {}
    for round_number in range(0 if warm_up else 1, repetitions + 1):
        for name, entrant in entrants.items():
            entrant.prepare()
            cost, answers[name] = timed(entrant.solve)
            if round_number > 0:
                seconds[name].append(cost.clock)
                cpu_seconds[name].append(cost.cpu)
    timings = {
        n: Timing(statistics.median(s), min(s), statistics.median(cpu_seconds[n]))
        for n, s in seconds.items()
    }
    return timings, answers


def milliseconds(timing):
    return f"{1e3 * timing.median:.3g} ({1e3 * timing.least:.3g})"


def ratio(peer, ours):
    """Of the median clock times, and of the median processor times in brackets."""
    return f"{peer.median / ours.median:.1f}x ({peer.cpu / ours.cpu:.1f}x)"


def verdict(peer, ours, target, *, parallel=False):
    """Whether the speed-up reaches the target: the smaller of the two ratios must.

    On a busy machine short calls slip in between the other processes and long ones do not, which
    flatters the faster solver on the clock. Processor time is free of that, but says nothing
    about a run on several cores.
    """
    if target is None:
        return ""
    on_clock = peer.median / ours.median
    speed_up = on_clock if parallel else min(on_clock, peer.cpu / ours.cpu)
    return judged(speed_up >= target, f"{target:g}x")


def judged(reached, target):
    return f"{target}: {'reached' if reached else '**missed**'}"


def table(header, rows):
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def machine(packages):
    """What the figures depend on, as (key, value) rows."""
    rows = [("Processor", _processor()), ("Cores", os.cpu_count()), ("Memory", _memory()),
            ("System", platform.system() + " " + platform.release().split("-")[0]),
            ("Load average at the start", f"{os.getloadavg()[0]:.1f}"),
            ("Python", platform.python_version())]  # fmt: skip
    for package in ("redoubt", *packages, "numpy", "scipy"):
        rows.append((package, metadata.version(package)))
    return rows


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory():
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"
