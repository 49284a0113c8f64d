package waymark

// Undo is the right to undo one change, once and within a day.
type Undo struct {
	Token string // a secret; "" if the change cannot be undone
}

// UndoResult is the result of undoing a change.
type UndoResult struct {
	Done int // entities that are as they were before the change
	// Skipped are entities that are not, because they were changed again or deleted since, or
	// because their URL or name exists again. What was changed since stays as it is.
	Skipped int
}

// Sync are changes that a program made with an API key, one soon after the other.
type Sync struct {
	APIKey   APIKeyID
	From, To Time // of the first and the last change
	Changes  int
}
