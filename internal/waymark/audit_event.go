package waymark

// AuditEvent is a change of a user or an API key, for the log.
type AuditEvent struct {
	ID     int64
	At     Time
	Event  string // such as "API key added"
	User   string // the name of the user that was changed, or who has the key
	Key    string // the name of the key, "" if a user was changed
	Detail string // "" for none
}
