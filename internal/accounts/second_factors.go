package accounts

import (
	"context"
	"errors"
	"time"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

var (
	// ErrFactorRequired means that a user must have a second factor, and would have none.
	ErrFactorRequired = errors.New("a second factor is required")
	// ErrUnverifiedPasskey means that a passkey, whose device has not verified the person, is not enough.
	ErrUnverifiedPasskey = errors.New("the device of the passkey has not verified the person")
)

// SecondStepLifetime is how long people have for the second step of the sign-in.
const SecondStepLifetime = 10 * time.Minute

// SecondStep is the error of a sign-in with the right password that needs a second step: FinishSignIn with
// this token, which belongs into a cookie. With the token alone, nobody can do anything else.
type SecondStep struct{ Token string }

func (*SecondStep) Error() string { return "the sign-in needs a second step" }

// Proof is what people send to prove who they are: one of its fields.
type Proof struct {
	Password     string
	Code         string // of the authenticator app
	RecoveryCode string
	Passkey      PasskeyAnswer // whose Response may be ""
}

// Sent reports whether there is a proof.
func (p Proof) Sent() bool {
	return p.Password != "" || p.Code != "" || p.RecoveryCode != "" || p.Passkey.Response != ""
}

// Entered is the result of a sign-in with two steps.
type Entered struct {
	Secret    string // of the session
	Keep      bool   // the user asked to stay signed in
	Trust     string // the secret for the cookie of a browser that the user trusts, or ""
	CodesLeft int    // recovery codes that the user has left
}

// afterFirstStep creates a session for a user who has sent the right password, or used a passkey that proves
// one factor alone, and returns its secret. first says which, and hash is that of the password. Its error is a
// *SecondStep if a second step is asked of the user and they do not trust the browser, or ErrUnverifiedPasskey.
func (a *Accounts) afterFirstStep(ctx context.Context, user waymark.User, first waymark.Session, hash string, from Client) (secret string, err error) {
	factors, err := a.store.Accounts.Factors(ctx, user.ID)
	if err != nil {
		return "", err
	}
	if first.TrustID, err = a.trust(ctx, user.ID, from); err != nil {
		return "", err
	}
	asked := factors.App() || factors.Required && factors.Passkeys > 0
	switch {
	case first.TrustID != 0 && first.Method == waymark.ByPassword:
		first.Method = waymark.ByPasswordAndCode
	case first.TrustID != 0 || !asked:
	case first.PasskeyID != 0 && (!factors.App() || hash == ""): // a SecondStep is signed with the password
		return "", a.logFailure(from, ErrUnverifiedPasskey)
	default:
		step := auth.SecondStep{User: user.ID, Passkey: first.PasskeyID, Keep: first.Persistent, ExpiresAt: a.store.Now().Add(SecondStepLifetime)}
		return "", &SecondStep{Token: step.Sign(hash)}
	}
	return a.startSession(ctx, user, first, hash, nil, from)
}

// trust returns the trust of a user in a browser, 0 for none.
func (a *Accounts) trust(ctx context.Context, user waymark.UserID, from Client) (waymark.TrustID, error) {
	hash, ok := auth.TokenHash(from.Trust)
	if !ok {
		return 0, nil
	}
	id, err := a.store.Accounts.Trust(ctx, user, hash)
	if errors.Is(err, waymark.ErrNotFound) {
		return 0, nil
	}
	return id, err
}

// SignInUser returns the user whose sign-in waits for the second step with this token. It returns
// waymark.ErrNotFound if there is none, or no longer.
func (a *Accounts) SignInUser(ctx context.Context, token string) (waymark.User, error) {
	_, user, _, err := a.secondStep(ctx, token)
	return user, err
}

// secondStep returns a second step, its user and the hash of their password.
func (a *Accounts) secondStep(ctx context.Context, token string) (auth.SecondStep, waymark.User, string, error) {
	step, ok := auth.ReadSecondStep(token)
	if !ok || step.ExpiresAt <= a.store.Now() {
		return step, waymark.User{}, "", waymark.ErrNotFound
	}
	user, hash, err := a.store.Accounts.CredentialsOf(ctx, step.User)
	if err == nil && (user.Disabled || !step.Signed(token, hash)) {
		err = waymark.ErrNotFound
	}
	return step, user, hash, err
}

// FinishSignIn is the second step of a sign-in. It creates a session. With trust, the browser is not asked
// for a code for waymark.TrustLifetime. Its error can be waymark.ErrNotFound as in SignInUser,
// waymark.ErrWrongCode or a *waymark.TooManyAttempts.
func (a *Accounts) FinishSignIn(ctx context.Context, token string, proof Proof, trust bool, from Client) (Entered, error) {
	step, user, hash, err := a.secondStep(ctx, token)
	if err != nil {
		return Entered{}, err
	}
	used, err := a.verifyFactor(ctx, user, hash, factorProof{proof, step.Passkey != 0}, false, from)
	if err != nil {
		return Entered{}, err
	}
	if step.Passkey != 0 {
		used.Method, used.PasskeyID = waymark.ByPasskey, step.Passkey
	}
	used.Persistent = step.Keep
	entered := Entered{Keep: step.Keep}
	var trusted []byte
	if trust {
		entered.Trust, trusted = auth.NewToken()
	}
	entered.Secret, err = a.startSession(ctx, user, used, hash, trusted, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // it was changed while the code was verified
		return Entered{}, waymark.ErrNotFound
	}
	if err != nil {
		return Entered{}, err
	}
	factors, err := a.store.Accounts.Factors(ctx, user.ID)
	entered.CodesLeft = factors.RecoveryCodes
	return entered, err
}

// factorProof is a proof of a second factor.
type factorProof struct {
	Proof
	verified bool // a passkey counts only if its device has verified the person
}

// verifyFactor returns waymark.ErrWrongCode or a *waymark.TooManyAttempts if a proof is no second factor of
// the user, and otherwise the method and the passkey for the session. Attempts with codes are counted
// separately: otherwise, each right password would allow more of them.
func (a *Accounts) verifyFactor(ctx context.Context, user waymark.User, hash string, proof factorProof, known bool, from Client) (used waymark.Session, err error) {
	end, err := a.beginAttempt("code of "+waymark.Fold(user.Name), hash, known, from)
	if err != nil {
		return used, err
	}
	used, err = a.useFactor(ctx, user.ID, proof, from)
	end(err == nil)
	if errors.Is(err, waymark.ErrNotFound) {
		return used, a.logFailure(from, waymark.ErrWrongCode)
	}
	return used, err
}

// useFactor accepts a second factor, which cannot be used again. It returns waymark.ErrNotFound if the user
// does not have it.
func (a *Accounts) useFactor(ctx context.Context, user waymark.UserID, proof factorProof, from Client) (waymark.Session, error) {
	if proof.Passkey.Response != "" {
		return a.useOwnPasskey(ctx, user, proof, from)
	}
	used := waymark.Session{Method: waymark.ByPasswordAndCode}
	if proof.RecoveryCode != "" {
		return used, a.store.Accounts.UseRecoveryCode(ctx, user, auth.RecoveryCodeHash(proof.RecoveryCode))
	}
	app, err := a.store.Accounts.Authenticator(ctx, user)
	if err != nil {
		return used, err
	}
	step, ok := auth.TOTPStep(app.Secret, proof.Code, a.store.Now())
	if !ok {
		return used, waymark.ErrNotFound
	}
	return used, a.store.Accounts.UseCode(ctx, user, app.Secret, step)
}

func (a *Accounts) useOwnPasskey(ctx context.Context, user waymark.UserID, proof factorProof, from Client) (waymark.Session, error) {
	used, err := a.usePasskey(ctx, proof.Passkey, from)
	if errors.Is(err, waymark.ErrUnknownPasskey) || err == nil && (used.UserID != user || proof.verified && !used.Verified) {
		err = waymark.ErrNotFound
	}
	return waymark.Session{Method: waymark.ByPasskey, PasskeyID: used.ID}, err
}

// SetUpApp sets the authenticator app of a user, who has typed the first code that it shows for this secret
// of auth.NewTOTPSecret. With the first app it returns new recovery codes. Its error can be
// waymark.ErrWrongCode.
func (a *Accounts) SetUpApp(ctx context.Context, visitor Visitor, secret, code string) (codes []string, err error) {
	step, ok := auth.TOTPStep(secret, code, a.store.Now())
	if !ok {
		return nil, waymark.ErrWrongCode
	}
	codes, hashes := newRecoveryCodes()
	app := waymark.Authenticator{Secret: secret, UsedStep: step}
	first, err := a.store.Accounts.SetAuthenticator(ctx, visitor.User.ID, visitor.Session.ID, app, hashes)
	if err != nil || !first {
		return nil, err
	}
	return codes, nil
}

// RemoveApp removes the authenticator app of a user. Its error can be ErrFactorRequired, or
// waymark.ErrNotFound if there is none.
func (a *Accounts) RemoveApp(ctx context.Context, user waymark.UserID) error {
	return a.store.Accounts.RemoveAuthenticator(ctx, user, keepFactor)
}

// keepFactor permits what leaves a user the second factor that is required of them.
func keepFactor(left waymark.Factors) error {
	if left.Required && !left.Second() {
		return ErrFactorRequired
	}
	return nil
}

// SetFactorRule sets who must have a second factor. Only administrators may do it: waymark.ErrForbidden. They
// must have one themselves, if they require it: ErrFactorRequired.
func (a *Accounts) SetFactorRule(ctx context.Context, by waymark.User, rule waymark.FactorRule) error {
	if !by.Admin || !rule.Valid() {
		return waymark.ErrForbidden
	}
	factors, err := a.store.Accounts.Factors(ctx, by.ID)
	if err != nil {
		return err
	}
	if rule != waymark.FactorOptional && !factors.Second() {
		return ErrFactorRequired
	}
	return a.store.Accounts.SetFactorRule(ctx, rule, by.Name)
}

// NewRecoveryCodes replaces the recovery codes of a user, and returns the new ones. It returns
// waymark.ErrNotFound if the user has no authenticator app.
func (a *Accounts) NewRecoveryCodes(ctx context.Context, user waymark.UserID) ([]string, error) {
	codes, hashes := newRecoveryCodes()
	return codes, a.store.Accounts.SetRecoveryCodes(ctx, user, hashes)
}

func newRecoveryCodes() (codes []string, hashes [][]byte) {
	for range waymark.RecoveryCodes {
		code, hash := auth.NewRecoveryCode()
		codes, hashes = append(codes, code), append(hashes, hash)
	}
	return codes, hashes
}
