"""How far a stream is, on one line of a terminal."""

import sys
import time

_FIRST, _PAUSE, _PAUSE_OF_LINES = 2.0, 0.2, 10.0


class Progress:
    """Shows share, rows, rate and time left on standard error.

    Parameters
    ----------
    what : str
        As in "certifying".
    total : int
        Bytes of all files.
    shown : bool or None
        None: only if standard error is a terminal. What is no terminal gets a line every 10 s.
    """

    def __init__(self, what, total, shown=None):
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = self._is_terminal if shown is None else shown and sys.stderr is not None
        self._what, self._total = what, max(1, total)
        self._began = self._last = time.monotonic()
        self._start = None
        self._drawn = False

    def show(self, n_rows, n_bytes):
        """`n_bytes` of the files are behind us; those of finished parts of an earlier run count."""
        if self._start is None:
            self._start = n_bytes
        now = time.monotonic()
        pause = _PAUSE if self._is_terminal else _PAUSE_OF_LINES
        if not self._shown or now - self._began < _FIRST or now - self._last < pause:
            return
        self._last = now
        self._draw(n_rows, n_bytes, now - self._began)

    def _draw(self, n_rows, n_bytes, seconds):
        line = f"{self._what}: {100 * n_bytes // self._total} %, {n_rows:,} rows"
        line += f", {n_rows / seconds:,.0f}/s"
        new = n_bytes - self._start
        if new > 0:
            left = (self._total - n_bytes) * seconds / new
            line += f", {_duration(left)} left"
        sys.stderr.write(f"\r\x1b[K{line}" if self._is_terminal else line + "\n")
        sys.stderr.flush()
        self._drawn = True

    def close(self):
        """Wipe the line."""
        if self._drawn and self._is_terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _duration(seconds):
    whole = int(seconds + 0.999)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole // 60 % 60} min"
