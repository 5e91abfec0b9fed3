"""TAC 2014 BiomedSumm: topics, and the runs of Task 2; those of Task 1 are in `ilpsum.formats.task1`."""
