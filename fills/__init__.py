"""Fill cells row by row with the model: a fill is tried, run by workers, reviewed and applied.

In reading order: `instruction`, `prompt`, `answers` and `pace` are pure; `models`, `selectors` and `services` are the
data layer; `conversation` asks the model about one row, `worker` works on the rows of a fill, `tasks` starts workers,
`api` is REST. The app knows both tables and the chat. Neither of them knows it, so that it can be left out.
"""
