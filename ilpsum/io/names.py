"""Names from input that become file names."""


def unsafe_name(name: str) -> str:
    """Return why a name from input must not become a file name; empty if it may.

    >>> unsafe_name("D1401_TRAIN"), unsafe_name("../D1401")
    ('', 'is empty, starts with a dot, or has white space around it')
    """
    if not name or name.startswith(".") or name != name.strip():
        return "is empty, starts with a dot, or has white space around it"
    if any(character in "/\\" or not character.isprintable() for character in name):
        return "contains a slash, a backslash or a control character"
    if len(name.encode("utf-8", "replace")) > 250:
        return "is longer than 250 bytes"
    return ""
