"""Signatures record everything that affects a score, as one parseable line."""

from collections.abc import Mapping
from dataclasses import dataclass

from ilpsum.errors import UsageError
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.version import __version__


@dataclass(frozen=True)
class Signature:
    """A metric's name and its settings by name, in a fixed order.

    >>> signature = Signature("ROUGE-2", {"stem": "yes", "words": "250"})
    >>> str(signature)
    'ROUGE-2|stem:yes|words:250'
    >>> Signature.parse("ROUGE-2|stem:yes|words:250") == signature
    True
    """

    metric: str
    fields: Mapping[str, str]

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{name}:{value}" for name, value in self.fields.items())])

    def adding(self, fields: Mapping[str, str]) -> "Signature":
        """Return the signature with further fields before the version."""
        joined = {**self.fields, **fields}
        if "version" in joined:
            joined["version"] = joined.pop("version")
        return Signature(self.metric, joined)

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Parse a signature; `UsageError` if the text is not a signature."""
        metric, *fields = text.strip().split("|")
        pairs = [field.split(":", 1) for field in fields]
        if not metric or any(len(pair) != 2 for pair in pairs):
            raise UsageError(f"not a signature: {text!r}; expected METRIC|name:value|...")
        return cls(metric, dict(pairs))


def rouge_signature(metric: str, options: RougeOptions, **others: str) -> Signature:
    """Return the signature of a ROUGE score; `others` are further settings, such as the references
    used.
    """
    fields = {
        "stem": "yes" if options.stem else "no",
        **length_field(options),
        "multiple": options.multiple,
        **others,
        "exceptions": "off",  # of WordNet, which ROUGE-1.5.5 looks up before stemming
        "f": "1",
        "tokens": "rouge-1.5.5",
        "version": __version__,
    }
    return Signature(metric, fields)


def length_field(options: RougeOptions) -> dict[str, str]:
    """Return the signature field of the length limit."""
    if options.bytes is not None:
        return {"bytes": str(options.bytes)}
    return {"words": "all" if options.words is None else str(options.words)}
