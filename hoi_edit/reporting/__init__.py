"""What is told about scenes and edits. In: findings, as data that anybody may look into. Out: the sentences that the
command line and notebooks say, and tables for notebooks. What the window says is in `ui/words`."""
