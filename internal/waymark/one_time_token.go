package waymark

// Purpose is what a one-time token is for.
type Purpose string

// The purposes of one-time tokens.
const (
	PurposeSetup      Purpose = "setup"      // create the first user, an administrator
	PurposeInvitation Purpose = "invitation" // create a user
	PurposePassword   Purpose = "password"   // set a new password
)

// OneTimeToken is what the holder of a one-time token may do, once.
type OneTimeToken struct {
	Purpose   Purpose
	Name      string // of the user; a suggestion if the user is yet to be created
	ExpiresAt Time   // zero for never
}

// Invitation is a one-time token that creates a user.
type Invitation struct {
	ID        InvitationID
	Name      string // a suggestion for the name of the user, or ""
	Admin     bool
	Setup     bool   // creates the first user: valid as long as there is none
	CreatedBy UserID // an administrator; zero for a setup
	CreatedAt Time
	ExpiresAt Time // zero for never
}

// PasswordReset is a one-time token with which a user sets a new password.
type PasswordReset struct {
	CreatedBy UserID // an administrator
	ExpiresAt Time
}
