"""Count the words and sentences of BioGen answers as the track's 2024 validator does, with spaCy.

    python experiments/biogen_validator.py RUN.json... --abstracts FILE... [--model en_core_web_sm] [--sample 8000]

spaCy and its model are no dependencies of ilpsum: install them in an environment of their own. The validator parses an
answer with its citations into sentences, removes the citations of each and counts its tokens that are not punctuation;
citations that open a sentence, or follow its last stop, are discarded.
"""

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import spacy

from features.sentences import split_sentences
from ilpsum.pipeline.citing import clean, is_sentence
from ilpsum.runs.biogen_rules import SENTENCES_2024, WORDS_2024, allows_2024, cite, count_words

CITATION = re.compile(r"\[(?:\d+,?\s*)+\]")
PLACES = {"no citation": "", "a space before the citation": " [12345678]", "no space": "[12345678]"}


def sentences(paths: Sequence[Path]) -> list[str]:
    """The sentences of all abstracts."""
    found = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for abstract in (json.loads(line)["abstract"] for line in stream):
                found += [abstract[start:end] for start, end in split_sentences(abstract)]
    return found


class Validator:
    """The validator's view of answers."""

    def __init__(self, model: str) -> None:
        self._parser = spacy.load(model, exclude=["ner", "lemmatizer", "attribute_ruler", "tagger"])

    def parse(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the sentences of each text."""
        return ([sentence.text for sentence in parsed.sents] for parsed in self._parser.pipe(texts))

    def words(self, parts: Iterable[str]) -> int:
        """The number of words of sentences."""
        tokens = (token for part in parts for token in self._parser.make_doc(CITATION.sub("", part)))
        return sum(not token.is_punct for token in tokens)


def discarded(part: str) -> int:
    """The number of citations of a sentence that do not count."""
    last = max(part.rfind(stop) for stop in ".!?")
    starts = [match.start() for match in CITATION.finditer(part)]
    return sum(not part[:start].strip() or start > last for start in starts)


def answers(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """Random sentences, put together to answers of at most 150 words by our count and `most` sentences."""
    answer, words = list[str](), 0
    for text in texts:
        words += count_words(text)
        if words > WORDS_2024 or len(answer) == most:
            yield answer
            answer, words = [], count_words(text)
        answer.append(cite(text, ["12345678"]))


def report_run(validator: Validator, path: Path) -> None:
    """Print the errors and discarded citations of a run of 2024."""
    parsed = list(validator.parse(result["answer"] for result in json.loads(path.read_text("utf-8"))["results"]))
    long = sum(validator.words(parts) > WORDS_2024 for parts in parsed)
    many = sum(len(parts) > SENTENCES_2024 for parts in parsed)
    cited = sum(len(CITATION.findall(part)) for parts in parsed for part in parts)
    lost = sum(discarded(part) for parts in parsed for part in parts)
    print(f"{path.name}: {len(parsed)} answers, {long} too long, {many} of too many sentences, {lost} of {cited} lost")


def main() -> None:
    """Print all counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--abstracts", nargs="+", type=Path, required=True)
    parser.add_argument("--model", default="en_core_web_sm")
    parser.add_argument("--sample", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    validator = Validator(options.model)
    found = sentences(options.abstracts)
    allowed = [clean(text) for text in found if allows_2024(text)]
    print(f"{len(found)} sentences, {sum(map(is_sentence, found))} allowed in 2025, {len(allowed)} in 2024")
    random.Random(options.seed).shuffle(allowed)
    sample = allowed[: options.sample]
    over = [count_words(text) - validator.words([text]) for text in sample]
    below, total = sum(value < 0 for value in over), sum(map(count_words, sample))
    print(f"words: {below} of {len(sample)} counted too low, {sum(over) / total:.2%} too high in all")
    for name, citation in PLACES.items():
        texts = [cite(text, ["1"]).replace("[1]", citation) for text in sample]
        parts = list(validator.parse(texts))
        lost = sum(discarded(part) for each in parts for part in each)
        split = sum(len(each) > 1 for each in parts)
        print(f"{name}: {split} of {len(sample)} split, {lost} citations discarded")
    for most in (8, 9, 10):
        made = list(answers(sample, most))
        seen = list(validator.parse(map(" ".join, made)))
        extra = Counter(len(each) - len(answer) for each, answer in zip(seen, made, strict=True))
        many = sum(len(each) > SENTENCES_2024 for each in seen)
        long = sum(validator.words(each) > WORDS_2024 for each in seen)
        full = sum(len(answer) == most for answer in made)
        print(f"at most {most}: {len(made)} answers, {full} with {most}, {many} above 10, {long} too long", dict(extra))
    for path in options.runs:
        report_run(validator, path)


if __name__ == "__main__":
    main()
