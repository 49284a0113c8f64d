package waymark

import "time"

// The limits of second factors.
const (
	RecoveryCodes = 10 // that a user gets at a time
	// FewRecoveryCodes is the number from which on users are told to make new ones.
	FewRecoveryCodes = 2
	// TrustLifetime is how long a browser that the user trusts is not asked for a code.
	TrustLifetime = 30 * 24 * time.Hour
	// MaxTrustedBrowsers is how many browsers a user can trust. One more ends the trust in the oldest.
	MaxTrustedBrowsers = 20
)

// Factors are what a user can prove with who they are.
type Factors struct {
	Password      bool
	AppSince      Time // when the authenticator app was set up; 0 for none
	RecoveryCodes int  // that are left
	Trusted       int  // browsers that are not asked for a code
	Passkeys      int
	Required      bool // administrators require a second factor of the user
}

// Second reports whether the user has a second factor.
func (f Factors) Second() bool { return f.App() || f.Passkeys > 0 }

// FactorRule says who must have a second factor.
type FactorRule string

// The rules. Who signs in at a provider, or through a proxy, needs none here.
const (
	FactorOptional          FactorRule = ""
	FactorForAdministrators FactorRule = "administrators"
	FactorForAll            FactorRule = "all"
)

// Valid reports whether r is one of the rules.
func (r FactorRule) Valid() bool {
	return r == FactorOptional || r == FactorForAdministrators || r == FactorForAll
}

// App reports whether the user has an authenticator app.
func (f Factors) App() bool { return f.AppSince != 0 }

// Authenticator is the secret that an authenticator app of a user shares with the server.
type Authenticator struct {
	Secret   string // as auth.NewTOTPSecret returns it
	UsedStep int64  // of the last code that was accepted: no code is accepted twice
}
