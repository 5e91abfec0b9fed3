"""The table of the baselines: every system meets every topic, and what was measured is kept."""

from experiments import baselines
from ilpsum.metrics.rouge import References
from ilpsum.records import Topic
from ilpsum.tasks import read_topics


def test_the_table_has_what_the_systems_reached(demo, tmp_path):
    topics = [topic for topic in read_topics([demo / "topics"]) if isinstance(topic, Topic)]
    every = baselines.baselines("papers")
    assert {"lexrank", "textrank", "sumbasic", "kl-sum", "mmr", "centroid", "submodular"} <= {
        *every
    }
    systems = {name: every[name] for name in ("lead", "lexrank", "oracle")}

    def measure() -> dict[str, baselines.Scores]:
        return baselines.measured(systems, topics, 40, lambda t: References(t.summaries))

    place = tmp_path / "scores" / "demo.json"
    scores = baselines.kept(place, measure)
    assert {len(part.recalls) for part in scores.values()} == {len(topics)}
    for name, part in scores.items():
        for topic, (two, _), words in zip(topics, part.recalls, part.words, strict=True):
            text = systems[name](topic)(topic, 40).text
            assert two == References(topic.summaries).score(text)["ROUGE-2"].recall
            assert words == len(text.split()) <= 40
    assert baselines.kept(place, dict) == scores

    lines = baselines.table(scores).splitlines()
    assert lines[2].startswith("| `oracle` | ")
    lead = next(line for line in lines if line.startswith("| `lead` |"))
    assert lead.split(" | ")[3] == ""
    lexrank = next(line for line in lines if line.startswith("| `lexrank` |"))
    assert lexrank.endswith(" 1 |")
