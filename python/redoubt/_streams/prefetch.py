"""The next parts are read while the last one is worked on."""

import queue
import threading


class Prefetch:
    """Iterates over something in a thread of its own, a few items ahead.

    Leaving the `with` block ends the thread, wherever it is. Errors come where the item would.
    """

    _END = object()

    def __init__(self, items, ahead=2):
        self._items = items
        self._queue = queue.Queue(maxsize=ahead)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="redoubt-reader", daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        while self._thread.is_alive():
            try:
                self._queue.get(timeout=0.05)
            except queue.Empty:
                pass
        self._thread.join()

    def __iter__(self):
        while True:
            kind, value = self._queue.get()
            if kind is self._END:
                return
            if kind == "error":
                raise value
            yield value

    def _work(self):
        try:
            for item in self._items:
                self._put(("item", item))
                if self._is_over.is_set():
                    return
            self._put((self._END, None))
        except BaseException as error:  # for the thread that waits
            self._put(("error", error))
        finally:
            self._items.close()

    def _put(self, entry):
        while not self._is_over.is_set():
            try:
                self._queue.put(entry, timeout=0.1)
                return
            except queue.Full:
                pass
