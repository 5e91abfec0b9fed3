"""TAC 2014, Task 1: which spans of the reference paper a citance cites, and in what discourse facet.

After Cohan, Soldaini and Goharian (2014, "Towards citation-based summarization of biomedical literature") and Cohan and
Goharian (2017); what goes beyond them is a learned choice of spans (`ilpsum.citances.ranker`).
"""
