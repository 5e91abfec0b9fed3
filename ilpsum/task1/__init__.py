"""TAC 2014, Task 1: find the spans of the reference paper that a citance cites, and their discourse
facet.

After Cohan, Soldaini and Goharian (2014, "Towards citation-based summarization of biomedical
literature") and Cohan and Goharian (2017). Beyond these papers, `ilpsum.task1.ranker` learns to
select spans.
"""
