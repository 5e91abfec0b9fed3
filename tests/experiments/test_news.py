"""The baselines for news: trained on one year, scored on the next."""

import shlex
from pathlib import Path

import pytest

from ilpsum.cli import main

WORDS = "newts toads choirs ponds sing croak loudly often near many small old rivers towns visitors heard".split()


def sentence(topic: int, article: int, number: int) -> str:
    words = [WORDS[(topic * 7 + article * 3 + number * (k + 2)) % len(WORDS)] for k in range(9)]
    return f"{' '.join(words).capitalize()}."


def year(folder: Path, topics: range) -> Path:
    """A folder in DUC's layout: entities, typesetting codes, a story without paragraphs, one without a headline."""
    entries = []
    for t in topics:
        name = f"D99{t:02d}A"
        entries.append(
            f"<topic>\n<num> {name} </num>\n<title> Newts &AMP; choirs {t} </title>\n\n<narr>\n"
            f"Tell how newts\nsing near ponds.\n</narr>\n</topic>\n"
        )
        for a in range(4):
            story = [sentence(t, a, n) for n in range(6)]
            paragraphs = "\n".join(f"<P>\n   {s}\n</P>" for s in story)
            body = f"&UR; OAKUM (ZZ) - {' '.join(story)}\n   (MORE)" if a == 1 else paragraphs
            headline = "" if a == 2 else f"<HEADLINE> Newts {a} </HEADLINE>"
            number = f"ZZW200102{a + 1:02d}.00{t:02d}"
            path = folder / "docs" / name / number
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                f"<DOC>\n<DOCNO> {number} </DOCNO>\n<BODY>{headline}<TEXT>\n{body}\n</TEXT></BODY></DOC>\n"
            )
        models = folder / "models"
        models.mkdir(exist_ok=True)
        for assessor in "AB":
            text = " ".join(sentence(t, ord(assessor) % 4, n) for n in (0, 2, 4))
            (models / f"D99{t:02d}.M.250.A.{assessor}").write_text(text)
    (folder / "duc_topics.sgml").write_text("\n".join(entries))
    return folder


@pytest.mark.parametrize("system", ["baseline-1", "baseline-2"])
def test_train_on_one_year_and_score_on_the_next(system, tmp_path, capsys):
    old, new = year(tmp_path / "DUC2006", range(1, 7)), year(tmp_path / "DUC2007", range(7, 10))
    model, out = tmp_path / "model.npz", tmp_path / "runs"
    assert main(["train", str(old), "--system", system, "--out", str(model), "--quiet"]) == 0
    summarize = shlex.split(
        f"summarize '{new}' --system '{system}' --model '{model}' --out '{out}' --words 40"
    )
    assert main([*summarize, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(out / "SYS1.jsonl"), str(new), "--words", "40", "--stem"]) == 0
    last = capsys.readouterr().out.splitlines()[-1].split("\t")
    assert last[:2] == ["all", "ROUGE-SU4"]
    assert float(last[2]) > 0.1


def test_without_a_model_the_error_says_how_to_train(tmp_path, capsys):
    new = year(tmp_path / "DUC2007", range(7, 8))
    summarize = f"summarize '{new}' --system baseline-2 --out '{tmp_path}/runs' --quiet"
    assert main(shlex.split(summarize)) != 0
    assert "ilpsum train TOPICS --system baseline-2" in capsys.readouterr().err
