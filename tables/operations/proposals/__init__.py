"""Read requested changes and the decisions about them.

In reading order: `data_proposal`, `definitions`, `sample_rows`, `schema_proposal`, then `choice`, `reviews` and
`carried_reviews`.
"""
