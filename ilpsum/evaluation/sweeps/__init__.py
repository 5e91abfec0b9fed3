"""Sweeps: score many configurations of systems on the same topics and select the best.

`Sweep.load` reads a sweep file, `plan` lists its configurations, `Runner` scores them or resumes an
interrupted sweep and estimates the tuned system's score on new topics.
"""
