"""The MM-RAG benchmark (§4, §5) on anybody's documents: questions that need the crossing from text
to image or back, made with or without a model, checked, and run by every method.

`records` is what a test set is, `material` what is known of the documents, `sampling` which image a
question is made for, `embedded` and `written` make it, `validation` drops what is no good, `making`
joins them; `naming` invents names (NEA), `running` and `report` measure.
"""
