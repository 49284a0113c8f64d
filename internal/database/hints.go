package database

// JoinInOrder joins two FROM items of which SQLite must read the left one first.
// PostgreSQL chooses the order by itself.
const JoinInOrder = " CROSS JOIN "

// Unindexed returns a column in a form for which SQLite uses no index, so that it
// starts from another condition.
func Unindexed(column string) string { return "+" + column }
