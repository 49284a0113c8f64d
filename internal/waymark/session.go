package waymark

// MaxBrowser is the maximum length of Session.Browser, in bytes.
const MaxBrowser = 300

// Session is a browser in which a user is signed in. Its secret is in a cookie and is
// never stored.
type Session struct {
	ID         SessionID
	UserID     UserID
	Persistent bool // the user asked to stay signed in
	CreatedAt  Time
	LastSeenAt Time   // accurate to some minutes
	ExpiresAt  Time   // at the latest: it ends earlier if it is not used
	Browser    string // the User-Agent header, cut to MaxBrowser
	Address    string // the IP address from which the user signed in; "" if unknown
}
