"""Train a model on your own gold summaries, sweep lambda and the selectors, and summarise with the
best settings.

The sample topics come from `ilpsum demo --out demo`.

    python train_and_sweep.py [TOPICS]
"""

import sys
from pathlib import Path

import ilpsum

topics = ilpsum.topics_of(sys.argv[1] if len(sys.argv) > 1 else "demo/topics")
model = ilpsum.train(topics, "ilp-sum-1", words=100)
model.save("own.npz")
print(model.describe("lambda"))

grid = {"lambda": "path", "method": ["ilp", "greedy"], "threshold": [0.3, 0.6], "words": [100]}
swept = ilpsum.sweep("ilp-sum-1", topics, grid, model="own.npz", out="sweep")
best = max(swept, key=lambda row: row.score)
for row in swept:
    print(row.method, f"lambda {row.lambda_}", f"threshold {row.threshold}", f"{row.score:.4f}")
for step in best.path[:3]:
    print(f"lambda {step.start:.3f} to {step.end:.3f}: {step.score:.4f}")

# The best settings as a system file, for Python and for `ilpsum summarize --system best.toml
# --model own.npz`.
Path("best.toml").write_text(best.toml, "utf-8")
tuned = ilpsum.Summarizer.load("best.toml", "own.npz", words=best.words)
print(tuned(topics[0]))
