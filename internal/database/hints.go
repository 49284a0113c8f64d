package database

// JoinInOrder joins two FROM items and makes SQLite read the left one first.
// PostgreSQL chooses the order by itself.
const JoinInOrder = " CROSS JOIN "

// Unindexed returns an expression for the column that SQLite does not look up in an index,
// so that it uses the index of another condition.
func Unindexed(column string) string { return "+" + column }
