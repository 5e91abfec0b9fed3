"""Sweeps: score many configurations of systems on the same topics and select the best.

`Sweep.load` reads a sweep file, `plan` lists its configurations, `run` scores them or resumes an interrupted sweep,
`nested` estimates the tuned system's score on new topics, and `table_at` evaluates the exact path at any lambda.
"""

from ilpsum.sweeps.curve import TopicPath
from ilpsum.sweeps.nested import Choice, Estimate, nested
from ilpsum.sweeps.plan import Configuration, Data, Group, Sweep, plan
from ilpsum.sweeps.rows import Result, table_at
from ilpsum.sweeps.running import run

__all__ = [
    "Choice", "Configuration", "Data", "Estimate", "Group", "Result", "Sweep", "TopicPath",
    "nested", "plan", "run", "table_at",
]  # fmt: skip
