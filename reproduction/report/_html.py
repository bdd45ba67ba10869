"""HTML from the standard library: what is no Html is escaped."""

from html import escape

__all__ = ["Html", "join", "tag"]


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


_EMPTY = {"br", "meta"}


def join(*parts):
    """Put parts one after another; lists count as their members, None as nothing."""
    made = []
    for part in parts:
        if isinstance(part, (list, tuple)):
            made.append(join(*part))
        elif isinstance(part, Html):
            made.append(part)
        elif part is not None:
            made.append(escape(str(part), quote=False))
    return Html("".join(made))


def tag(name, /, *children, **attributes):
    """An element. `class_` is written class, `aria_label` aria-label; None leaves one out."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Html(f"<{name}{shown}>")
    return Html(f"<{name}{shown}>{join(*children)}</{name}>")
