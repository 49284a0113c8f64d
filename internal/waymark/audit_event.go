package waymark

// AuditEvent is a change of a user, an API key or a one-time token, for the log.
type AuditEvent struct {
	ID     int64
	At     Time
	Event  string // such as "API key added"
	User   string // the name of the user that was changed, who has the key, or who changed the invitation
	Key    string // the name of the key, "" for other events
	Detail string // "" for none
}
