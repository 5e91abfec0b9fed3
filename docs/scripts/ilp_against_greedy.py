"""Compare the exact ILP with two greedy selectors on the same model, with confidence intervals and
significance.

The sample topics come from `ilpsum demo --out demo`; three are too few for a significance test.

    python ilp_against_greedy.py [TOPICS]
"""

import sys

import ilpsum

WORDS = 100
topics = ilpsum.topics_of(sys.argv[1] if len(sys.argv) > 1 else "demo/topics")
summarizer = ilpsum.Summarizer.load("ilp-sum-1", words=WORDS)
runs = {
    method: [summarizer(topic, method=method) for topic in topics]
    for method in ("ilp", "gain", "greedy")
}

for method, summaries in runs.items():
    means = [
        row
        for row in ilpsum.evaluate(summaries, topics, stem=True, words=WORDS)
        if row.topic == "all"
    ]
    print(method, *(f"{row.metric} {row.recall:.4f}" for row in means))
print()
pairs = ilpsum.compare(runs, topics, ["ROUGE-2"], stem=True, words=WORDS)
print(pairs)  # difference, its 95% interval, p (none below ten topics), wins

# The exact selector proves its optimum, so the loss of a greedy one can be measured.
for exact, greedy in zip(runs["ilp"], runs["gain"], strict=True):
    assert exact.gap == 0
    print(exact.topic, f"objective {exact.objective:.4f}, greedily {greedy.objective:.4f}")
