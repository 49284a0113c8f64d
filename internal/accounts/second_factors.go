package accounts

import (
	"context"
	"errors"
	"time"

	"waymark/internal/auth"
	"waymark/internal/waymark"
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
// one factor alone, and returns its secret. hash is that of the password. Its error is a *SecondStep if the
// user has an authenticator app and does not trust the browser.
func (a *Accounts) afterFirstStep(ctx context.Context, user waymark.User, method waymark.SignInMethod, hash string, keep bool, from Client) (secret string, err error) {
	factors, err := a.store.Accounts.Factors(ctx, user.ID)
	if err != nil {
		return "", err
	}
	trusted, err := a.trusts(ctx, user.ID, from)
	if err != nil {
		return "", err
	}
	if factors.App() && !trusted {
		step := auth.SecondStep{User: user.ID, Keep: keep, ExpiresAt: a.store.Now().Add(SecondStepLifetime)}
		return "", &SecondStep{Token: step.Sign(hash)}
	}
	return a.startSession(ctx, user, method, hash, keep, from)
}

// trusts reports whether a user trusts a browser.
func (a *Accounts) trusts(ctx context.Context, user waymark.UserID, from Client) (bool, error) {
	hash, ok := auth.TokenHash(from.Trust)
	if !ok {
		return false, nil
	}
	return a.store.Accounts.Trusts(ctx, user, hash)
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
	if err := a.verifyFactor(ctx, user, hash, proof, false, from); err != nil {
		return Entered{}, err
	}
	entered := Entered{Keep: step.Keep}
	method := waymark.ByPasswordAndCode
	if proof.Passkey.Response != "" {
		method = waymark.ByPasskey
	}
	entered.Secret, err = a.startSession(ctx, user, method, hash, step.Keep, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // it was changed while the code was verified
		return Entered{}, waymark.ErrNotFound
	}
	if err != nil {
		return Entered{}, err
	}
	if trust {
		var secretHash []byte
		entered.Trust, secretHash = auth.NewToken()
		if err := a.store.Accounts.TrustBrowser(ctx, user.ID, secretHash, a.store.Now().Add(waymark.TrustLifetime)); err != nil {
			return Entered{}, err
		}
	}
	factors, err := a.store.Accounts.Factors(ctx, user.ID)
	entered.CodesLeft = factors.RecoveryCodes
	return entered, err
}

// verifyFactor returns waymark.ErrWrongCode or a *waymark.TooManyAttempts if a proof is no second factor of
// the user. Codes have a count of attempts of their own: otherwise, each right password would allow more
// of them.
func (a *Accounts) verifyFactor(ctx context.Context, user waymark.User, hash string, proof Proof, known bool, from Client) error {
	end, err := a.beginAttempt("code of "+waymark.Fold(user.Name), hash, known, from)
	if err != nil {
		return err
	}
	err = a.useFactor(ctx, user.ID, proof, from)
	end(err == nil)
	if errors.Is(err, waymark.ErrNotFound) {
		return a.logFailure(from, waymark.ErrWrongCode)
	}
	return err
}

// useFactor accepts a second factor, which cannot be used again. It returns waymark.ErrNotFound if the user
// does not have it.
func (a *Accounts) useFactor(ctx context.Context, user waymark.UserID, proof Proof, from Client) error {
	if proof.Passkey.Response != "" {
		return a.useOwnPasskey(ctx, user, proof.Passkey, from)
	}
	if proof.RecoveryCode != "" {
		return a.store.Accounts.UseRecoveryCode(ctx, user, auth.RecoveryCodeHash(proof.RecoveryCode))
	}
	app, err := a.store.Accounts.Authenticator(ctx, user)
	if err != nil {
		return err
	}
	step, ok := auth.TOTPStep(app.Secret, proof.Code, a.store.Now())
	if !ok {
		return waymark.ErrNotFound
	}
	return a.store.Accounts.UseCode(ctx, user, app.Secret, step)
}

// useOwnPasskey accepts a passkey if it is one of the user's.
func (a *Accounts) useOwnPasskey(ctx context.Context, user waymark.UserID, answer PasskeyAnswer, from Client) error {
	used, err := a.usePasskey(ctx, answer, from)
	if errors.Is(err, waymark.ErrUnknownPasskey) || err == nil && used.UserID != user {
		return waymark.ErrNotFound
	}
	return err
}

// SetUpApp sets the authenticator app of a user, who has typed the first code that it shows for this secret
// of auth.NewTOTPSecret. With the first app it returns new recovery codes. Its error can be
// waymark.ErrWrongCode.
func (a *Accounts) SetUpApp(ctx context.Context, user waymark.UserID, secret, code string) (codes []string, err error) {
	step, ok := auth.TOTPStep(secret, code, a.store.Now())
	if !ok {
		return nil, waymark.ErrWrongCode
	}
	codes, hashes := newRecoveryCodes()
	first, err := a.store.Accounts.SetAuthenticator(ctx, user, waymark.Authenticator{Secret: secret, UsedStep: step}, hashes)
	if err != nil || !first {
		return nil, err
	}
	return codes, nil
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
