"""The golden cases: a table of commands. What they compute is frozen in `expected.json`.

The commands of a case run in a folder of their own and write there; names that begin with `_` are
not compared, and the suffix says what of a file is (`substance.py`). Placeholders: `{demo}` what
`ilpsum demo` writes, `{made}` the demo's abstracts in other formats, `{data}` real data, `{sample}`
samples of it (`inputs.py`). If an option changes its name, change the command here: what is
expected stays.
"""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """Commands in one folder, what they write, and whether `--quick` leaves them out."""

    name: str
    commands: tuple[str, ...]
    slow: bool = False

    def steps(self) -> list[list[str]]:
        """Return the words of each command."""
        return [shlex.split(command) for command in self.commands]

    @property
    def needs_data(self) -> bool:
        """Whether a command reads real data."""
        return any(
            place in command for command in self.commands for place in ("{data}", "{sample}")
        )


KIDNEY = '"How does gentamicin kill kidney cells?"'
ULCERS = '"Does mirolone heal leg ulcers?"'
# The first has byte order marks, carriage returns and a document in Windows-1252, the second no
# abstract heading.
TAC = "{data}/tac2014/D1401_TRAIN {data}/tac2014/D1406_TRAIN"
SCISUMM = "{data}/scisumm/E09-2008 {data}/scisumm/C90-2039 {data}/scisumm/H89-2014"
BIOASQ = "{sample}/questions.json"
GOLD = "--metrics ROUGE-1,ROUGE-2,ROUGE-3,ROUGE-4,ROUGE-L,ROUGE-S4,ROUGE-SU4,ROUGE-S*,ROUGE-SU*"

SYSTEMS_WITH_MODEL = (
    "concepts", "concepts-abstracts", "concepts-asked", "concepts-general", "concepts-linguistics", "concepts-merged",
    "concepts-papers", "concepts-searched", "concepts-short", "concepts-single", "concepts-snippets",
    "gr-sum-2", "gr-sum-2-tuned", "ilp-sum-0", "ilp-sum-0-tuned", "ilp-sum-1", "ilp-sum-1-tuned", "ilp-sum-2",
    "ilp-sum-2-tuned", "task2",
)  # fmt: skip
BASELINES = ("lead", "lexrank", "oracle", "random")
SYSTEMS_TO_TRAIN = ("baseline-1", "baseline-2", "ilp-sum-0", "ilp-sum-1")
QUERIES = ("best", "bm25", "citance", "language-model", "noun-phrases", "prose", "published-citance",
           "published-noun-phrases")  # fmt: skip
QUERIES_WITH_VECTORS = ("embeddings", "idf", "idf-known", "published-idf")
QUERIES_WITH_MESH = ("mesh", "published-mesh")


def _on_demo() -> list[Case]:
    topics, questions, abstracts = "{demo}/topics", "{demo}/questions.json", "{demo}/abstracts.xml"
    cases = [
        Case("demo", ("demo --out _demo --quiet > scores.txt", "summarize _demo/topics --out . --team D")),
        Case("systems", ("systems --json > systems.rows.jsonl",)),
        Case("usage-errors", (
            "summarize nowhere --out .",
            "summarize {demo}/topics --out . --system none",
            "evaluate nowhere {demo}/topics",
            "ask",
            "check {demo}/titles.txt --as tac",
        )),
        # Topics and runs
        Case("tac-jobs", (f"summarize {topics} --out . --team T --jobs 2 --quiet",)),
        Case("tac-resume", (
            f"summarize {topics}/D9001_DEMO --out . --team T",
            f"summarize {topics} --out . --team T --resume",
            f"summarize {topics} --out . --team T",
        )),
        Case("tac-settings", (
            f"summarize {topics} --out . --team A --words 100 --lambda 0.7 --order score",
            f"summarize {topics} --out . --team B --words 100 --coherence all",
            f"summarize {topics} --out . --team C --words 100 --coherence none --method gain",
            f"summarize {topics} --out . --team E --system gr-sum-2-tuned --set selection.threshold=0.2",
            f"summarize {topics} --out . --team G --to jsonl --set run.bytes=665",
        )),
        Case("tac-solvers", (
            f"summarize {topics}/D9002_DEMO --out . --team A --words 60 --solver highs-paper --system ilp-sum-1-tuned",
            f"summarize {topics}/D9002_DEMO --out . --team B --words 60 --solver highs --system ilp-sum-1-tuned",
        )),
        Case("bioasq", (f"summarize {questions} --out . --team B",)),
        Case("bioasq-pools", (
            f"summarize {questions} --out . --team M --pool merged --words 60",
            f"summarize {questions} --out . --team A --pool abstracts --documents {abstracts} --words 60",
            f"summarize {questions} --out . --team S --pool searched --documents {abstracts} --words 60",
        )),
        Case("biogen", (
            f"summarize {{demo}}/biogen.json --documents {abstracts} --out . --team G --to biogen-2024",
            f"summarize {{demo}}/biogen.json --documents {abstracts} --out . --team H --to biogen-2025",
            "check G1.json --as biogen-2024 --topics {demo}/biogen.json --json > check-2024.rows.jsonl",
            "check H1.jsonl --as biogen-2025 --topics {demo}/biogen.json --json > check-2025.rows.jsonl",
            "report H1.jsonl --out report.html",
        )),
        Case("duc", (
            "summarize {made}/duc --out . --team D",
            "evaluate D1.jsonl {made}/duc > scores.tsv",
        )),
        Case("jsonl", ("summarize {made}/topics.jsonl --out . --team J --words 60",)),
        Case("stdin", (
            "summarize - --from jsonl --out . --team J --words 40 < {made}/topics.jsonl",
            f"ask {KIDNEY} - --words 40 --json < {abstracts} > answer.json",
        )),
        # Answers
        Case("ask", (
            f"ask {KIDNEY} {abstracts} --words 60 > answer.txt",
            f"ask {KIDNEY} {abstracts} --words 60 --json > answer.json",
            f"ask {KIDNEY} {abstracts} --words 60 -o ask.provenance.jsonl",
            f"ask {KIDNEY} --documents {abstracts} --words 60 --json > indexed.answer.json",
            f"ask {ULCERS} {abstracts} --words 60 --json > ulcers.answer.json",
            f"ask {ULCERS} {abstracts} --words 80 --fill --set order.by=document --json > filled.answer.json",
            f"ask {ULCERS} {abstracts} --since 2012 --words 60 --json > since.answer.json",
            f'ask "Mirolone heals leg ulcers." {abstracts} --words 60 --json > claim.answer.json',
            f'ask "How does gentamycin kill kidny cells?" {abstracts} --words 60 --json > corrected.answer.json',
            f"ask {ULCERS} {abstracts} --words 60 --coherence all --lambda 0.5 --json > settings.answer.json",
        )),
        Case("ask-without-answer", (
            f'ask "Who won the football world cup?" {abstracts} --json > football.answer.json',
            f'ask "Does mirolone cure malaria?" {abstracts} --json > malaria.answer.json',
            f'ask "Does mirolone heal diabetic foot ulcers?" {abstracts} --json > related.answer.json',
            f'ask "How many genes has the mouse?" {abstracts} --coverage 0 --json > forced.answer.json',
        )),
        Case("ask-forms", (
            f"ask {ULCERS} {abstracts} --words 60 --json > answer.json",
            f"ask {ULCERS} {abstracts} --words 60 > answer.txt",
            f"ask {ULCERS} {abstracts} --words 60 -o page.html",
            f"ask {ULCERS} {abstracts} --words 60 --to ris > sources.ris",
            f"ask {ULCERS} {abstracts} --words 60 --to bibtex > sources.bib",
        )),
        Case("ask-from", tuple(
            f"ask {KIDNEY} {{made}}/{name} --words 60 --json > {name}.answer.json"
            for name in ("abstracts.nbib", "abstracts.ris", "abstracts.csl.json", "europepmc.json", "abstracts.csv",
                         "abstracts.jsonl", "articles.json", "abstracts.xml.gz", "paper.jats.xml", "paper.tei.xml",
                         "plain.txt", "paper.pdf")
        )),
        Case("ask-documents", (
            *(f"ask {KIDNEY} --documents {{made}}/{name} --words 60 --json > {name}.answer.json"
              for name in ("abstracts.nbib", "abstracts.ris", "europepmc.json", "abstracts.csv", "articles.json")),
            f"ask {KIDNEY} --documents {abstracts} --pmids {{made}}/pmids.txt --words 60 --json > few.answer.json",
            f"ask {KIDNEY} --documents {abstracts} --found 2 --exact --words 60 --json > found.answer.json",
        )),
        Case("ask-filters", (
            f"ask {KIDNEY} {{made}}/described.jsonl --words 60 --json > all.answer.json",
            f"ask {KIDNEY} {{made}}/described.jsonl --words 60 --retracted --json > retracted.answer.json",
            f"ask {KIDNEY} {{made}}/described.jsonl --words 60 --humans --json > humans.answer.json",
            f"ask {ULCERS} {{made}}/described.jsonl --words 60 --kinds randomised,review --json > kinds.answer.json",
            f"ask {ULCERS} {{made}}/described.jsonl --words 60 --json --set source.preprints=false"
            " > published.answer.json",
            f"ask {ULCERS} {{made}}/described.jsonl --words 60 --since 2013 --to ris > since.ris",
            f"ask {ULCERS} {{made}}/described.jsonl --words 60 --to bibtex > sources.bib",
        )),
        Case("services", (
            "standin",
            f"ask {KIDNEY} --pubmed --words 60 --json > pubmed.answer.json",
            f"ask {KIDNEY} --europepmc --words 60 --json > europepmc.answer.json",
            f"ask {ULCERS} {{made}}/abstracts.ris --pubmed --since 2012 --words 60 --json > both.answer.json",
            "fetch --query 'zinc[tiab]' --out zinc.xml",
            "fetch --ids {made}/pmids.txt --europepmc --out _listed.json",
            "ask 'Does zinc leave lysosomes?' zinc.xml --words 40 --json > fetched.answer.json",
            "ask 'Does zinc leave lysosomes?' _listed.json --words 40 --json > listed.answer.json",
        )),
        Case("texts", (
            f"summarize {topics}/D9001_DEMO/Documents_Text/Ardel.txt --words 80 --json > paper.answer.json",
            f"summarize {topics}/D9001_DEMO/Documents_Text/Ardel.txt --words 80 > paper.txt",
            f"summarize {abstracts} --words 80 --json > abstracts.answer.json",
            "summarize {made}/paper.jats.xml --words 80 > jats.txt",
        )),
        Case("library", (
            "library passages {demo}/abstracts.xml > passages.rows.jsonl",
            "library tables {demo}/topics > tables.rows.jsonl",
        )),
        # Task 1
        *(Case(f"link-{query}", (
            f"link {topics} --query {query} --out links.txt --run-id X1",
            f"evaluate links.txt {topics} --metrics span-f1,facet-accuracy,span-union-f1 > scores.tsv",
        )) for query in ("best", "bm25")),
        Case("link-trained", (
            f"train {topics} --query best --out links.npz",
            f"link {topics} --query best --model links.npz --out links.txt",
        ), slow=True),
        # Training
        *(Case(f"train-{system}", (
            f"train {topics} --system {system} --out model.npz",
            f"summarize {topics}/D9001_DEMO --system {system} --model model.npz --out . --team T",
        ), slow=True) for system in SYSTEMS_TO_TRAIN),
        Case("train-greedy", (
            f"train {topics} --system ilp-sum-1-tuned --out model.npz",
            f"summarize {topics}/D9001_DEMO --system ilp-sum-1-tuned --method greedy "
            "--set selection.threshold=0.4 --model model.npz --out . --team T",
        )),
        Case("train-concepts", (
            f"train {questions} --system concepts --out model.npz",
            f"summarize {questions} --system concepts --model model.npz --out . --team T",
        ), slow=True),
        Case("embed", (
            f"embed {abstracts} {{made}}/abstracts.jsonl --min-count 1 --epochs 2 --dimensions 20 --out v.npz",
        )),
        # Scores
        Case("scores", (
            f"summarize {topics} --out . --team A",
            f"summarize {topics} --out . --team L --method lead",
            f"evaluate A1 {topics} {GOLD} > all.tsv",
            f"evaluate A1.tar.gz {topics} -o jsonl > scores.rows.jsonl",
            f"evaluate A1 {topics} --no-stem --words 100 --references first > first.tsv",
            f"evaluate A1 {topics} --multiple best --bytes 665 > best.tsv",
            f"evaluate A1 {topics} --multiple jackknife --words 0 > jackknife.tsv",
            f"compare A1 L1 --gold {topics} -o jsonl > compared.rows.jsonl",
            f"compare A1 L1 --gold {topics} --measure f1 --samples 100 --metrics ROUGE-L -o jsonl > f1.rows.jsonl",
            f"check A1 --as tac --topics {topics} --json > check.rows.jsonl",
            f"check L1 --as tac --topics {topics}/D9001_DEMO --json > faults.rows.jsonl",
            f"report A1 L1 --gold {topics} --out report.html",
        )),
        Case("scores-bioasq", (
            f"summarize {questions} --out . --team A",
            f"summarize {questions} --out . --team L --method lead",
            f"evaluate A1.json {questions} --metrics ROUGE-2,ROUGE-SU4,exact-answer > scores.tsv",
            f"compare A1.json L1.json --gold {questions} -o jsonl > compared.rows.jsonl",
            f"check A1.json --as bioasq --topics {questions} --json > check.rows.jsonl",
            f"report A1.json L1.json --gold {questions} --out report.html",
        )),
        Case("scores-links", (
            f"link {topics} --query bm25 --out a.txt --run-id A1",
            f"link {topics} --query prose --out b.txt --run-id B1",
            f"compare a.txt b.txt --gold {topics} -o jsonl > compared.rows.jsonl",
            f"check a.txt --as task1 --topics {topics} --json > check.rows.jsonl",
            f"evaluate a.txt {topics} --metrics sentence-f1,span-ROUGE-2,span-ROUGE-SU4 > scores.tsv",
        )),
        Case("sweep-lambda", (
            f"sweep lambda --topics {topics} --out _sweep > rows.tsv",
            f"summarize {topics} --system _sweep/best.toml --out . --team S",
        ), slow=True),
        # Compression
        Case("compress", (
            "compress {demo}/titles.txt > a.txt",
            "compress {demo}/titles.txt --variant b -o tsv > b.tsv",
            "compress {demo}/titles.tsv --from tsv --json > titles.rows.jsonl",
            "compress {demo}/abstracts.xml --variant b --strict > strict.txt",
            "compress {demo}/abstracts.xml --rules dt,nested-pp --depth 4 --max-chars 60 > rules.txt",
            "compress {demo}/titles.txt --parse > trees.txt",
            "compress {demo}/titles.txt --trees trees.txt --variant b > of-trees.txt",
        )),
    ]  # fmt: skip
    # Every included system on papers and on questions.
    return cases + [
        Case(f"system-{name}", (
            f"summarize {topics}/D9002_DEMO --system {name} --out . --team P",
            f"summarize {questions} --system {name} --out . --team Q --words 60",
        ), slow=name not in ("ilp-sum-2", "ilp-sum-1-tuned", "concepts-short", "task2"))
        for name in SYSTEMS_WITH_MODEL
    ] + [
        Case(f"method-{name}", (
            f"summarize {topics}/D9002_DEMO --method {name} --out . --team P",
            f"summarize {questions} --method {name} --out . --team Q --words 60",
        ), slow=name != "lead")
        for name in BASELINES
    ]  # fmt: skip


def _on_real_data() -> list[Case]:
    return [
        Case("real-tac", (
            f"summarize {TAC} --out . --team R",
            f"summarize {TAC} --out . --team L --method lead",
            f"evaluate R1 {TAC} {GOLD} > scores.tsv",
            f"compare R1 L1 --gold {TAC} -o jsonl > compared.rows.jsonl",
            f"check R1 --as tac --topics {TAC} --json > check.rows.jsonl",
        )),
        Case("real-tac-report", (
            f"summarize {TAC} --out . --team R --words 100",
            f"report R1 --gold {TAC} --out report.html",
        ), slow=True),
        *(Case(f"real-tac-{name}", (f"summarize {TAC} --system {name} --out . --team R",), slow=True)
          for name in ("task2", "ilp-sum-2-tuned", "gr-sum-2-tuned")),
        Case("real-tac-oracle", (f"summarize {TAC} --method oracle --out . --team R",), slow=True),
        *(Case(f"real-scisumm-{name}", (
            f"summarize {SCISUMM} --system {name} --out . --team R",
            f"evaluate R1 {SCISUMM} --summaries abstract > abstract.tsv",
            f"evaluate R1 {SCISUMM} --summaries community > community.tsv",
            f"evaluate R1 {SCISUMM} --summaries human > human.tsv",
        ), slow=name != "concepts") for name in ("concepts", "ilp-sum-1-tuned", "task2")),
        Case("real-scisummnet", ("summarize {sample}/scisummnet --from scisumm --out . --team R",), slow=True),
        Case("real-tac-citances", (
            "summarize {data}/tac2014-eval/EVAL_citances_D1401-D1410.txt --out _runs",
            "link {data}/tac2014-eval/EVAL_citances_D1401-D1410.txt --out links.txt",
        ), slow=True),
        Case("real-bioasq", (
            f"summarize {BIOASQ} --out . --team R",
            f"evaluate R1.json {BIOASQ} --metrics ROUGE-2,ROUGE-SU4,exact-answer > scores.tsv",
            f"check R1.json --as bioasq --topics {BIOASQ} --json > check.rows.jsonl",
        )),
        *(Case(f"real-bioasq-{name}", (f"summarize {BIOASQ} --system {name} --out . --team R --words 100",), slow=True)
          for name in ("gr-sum-2-tuned", "ilp-sum-0-tuned", "ilp-sum-1-tuned", "ilp-sum-2-tuned", "concepts-short")),
        *(Case(f"real-bioasq-{name}", (f"summarize {BIOASQ} --method {name} --out . --team R --words 100",), slow=True)
          for name in ("lead", "random")),
        Case("real-bioasq-joined", (
            "summarize {data}/bioasq/1B2_golden.json.gz --method lead --out . --team R",
            "evaluate R1.json {data}/bioasq/1B2_golden.json.gz --answers {data}/bioasq/training2b.json.gz > scores.tsv",
        ), slow=True),
        Case("real-bioasq-merged", (f"summarize {BIOASQ} --pool merged --out . --team R",), slow=True),
        Case("real-bioasq-abstracts", (
            "summarize {sample}/whole.json --pool abstracts --documents {data}/bioasq/abstracts.jsonl.gz --out . "
            "--team R",
        ), slow=True),
        Case("real-bioasq-searched", (
            "summarize {sample}/whole.json --pool searched --documents {sample}/pile.jsonl --out . --team R "
            "--coverage 0",
        ), slow=True),
        Case("real-bioasq-trained", (
            f"train {BIOASQ} --system ilp-sum-1-tuned --out model.npz",
            f"summarize {BIOASQ} --system ilp-sum-1-tuned --model model.npz --out . --team R",
        ), slow=True),
        *(Case(f"real-biogen-{year}", (
            f"summarize {{sample}}/biogen-{year}.json --documents {{sample}}/pile.jsonl --to biogen-{year} --out . "
            "--team R",
            f"check R1.{suffix} --as biogen-{year} --topics {{sample}}/biogen-{year}.json --json > check.rows.jsonl",
        ), slow=year == "2024") for year, suffix in (("2024", "json"), ("2025", "jsonl"))),
        Case("real-biogen-faults", tuple(
            f"check {{data}}/biogen/2024_dummy_{fault}.json --as biogen-2024 "
            f"--topics {{data}}/biogen/2024_BioGen2024topics-json.txt --json > {fault}.rows.jsonl"
            for fault in ("valid_submission", "invalid_topic", "malformed_citations", "invalid_pmid")
        )),
        Case("real-answers", ("library answers {sample}/asked.txt {sample}/pile.jsonl > answers.jsonl",)),
        Case("real-texts", (
            "summarize {data}/tac2014/D1404_TRAIN/Documents_Text/Chen.txt --words 100 --json > paper.answer.json",
        ), slow=True),
        *(Case(f"real-link-{query}", (
            f"link {TAC} --query {query} --out links.txt",
            f"evaluate links.txt {TAC} > scores.tsv",
        ), slow=query not in ("best", "bm25")) for query in QUERIES),
        *(Case(f"real-link-{query}", (
            f"link {TAC} --query {query} --mesh {{data}}/mesh/mesh2019_entry_terms.tsv.gz --out links.txt",
        ), slow=True) for query in QUERIES_WITH_MESH),
        Case("real-link-vectors", (
            "embed {sample}/texts.jsonl --dimensions 30 --epochs 2 --out vectors.npz",
            *(f"link {TAC} --query {query} --vectors vectors.npz --out {query}.txt" for query in QUERIES_WITH_VECTORS),
        ), slow=True),
        Case("real-link-scisumm", (
            f"link {SCISUMM} --query best --out links.txt",
            f"evaluate links.txt {SCISUMM} --metrics sentence-f1,span-ROUGE-2,facet-accuracy > scores.tsv",
        ), slow=True),
        Case("real-sweep", (
            "sweep threshold --topics {sample}/few.json --out _threshold > threshold.tsv",
            "sweep figure3 --topics {sample}/few.json --out _figure3 > figure3.tsv",
            "sweep selectors --topics {sample}/few.json --out _selectors > selectors.tsv",
        ), slow=True),
        *(Case(f"real-compress-{variant}", (
            f"compress {{sample}}/examples.txt --variant {variant} -o tsv > examples.tsv",
            f"compress {{sample}}/titles.txt --variant {variant} -o tsv > titles.tsv",
            f"compress {{sample}}/titles.txt --variant {variant} --strict --idf-threshold 4 > strict.txt",
        )) for variant in "ab"),
    ]  # fmt: skip


CASES: tuple[Case, ...] = (*_on_demo(), *_on_real_data())
