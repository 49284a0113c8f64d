package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// PasskeyAnswer is what a browser sends from a passkey.
type PasskeyAnswer struct {
	Site     auth.PasskeySite
	Token    string // of the cookie that came with the question
	Response string // JSON
}

// AskPasskey returns a question to any passkey of the site, as JSON for the browser, and a token for its
// cookie.
func (a *Accounts) AskPasskey(ctx context.Context, site auth.PasskeySite) (options []byte, token string, err error) {
	options, data, err := site.Ask()
	if err != nil {
		return nil, "", err
	}
	token, err = a.addChallenge(ctx, waymark.PasskeyChallenge{Data: string(data)})
	return options, token, err
}

// AskNewPasskey returns a question to a device that makes a passkey for a user, as AskPasskey does.
func (a *Accounts) AskNewPasskey(ctx context.Context, user waymark.User, site auth.PasskeySite) (options []byte, token string, err error) {
	others, err := a.store.Accounts.Passkeys(ctx, user.ID)
	if err != nil {
		return nil, "", err
	}
	options, data, err := site.AskNew(user.Name, others)
	if err != nil {
		return nil, "", err
	}
	token, err = a.addChallenge(ctx, waymark.PasskeyChallenge{UserID: user.ID, Data: string(data)})
	return options, token, err
}

func (a *Accounts) addChallenge(ctx context.Context, challenge waymark.PasskeyChallenge) (token string, err error) {
	token, hash := auth.NewToken()
	return token, a.store.Accounts.AddPasskeyChallenge(ctx, hash, challenge, a.store.Now().Add(waymark.ChallengeLifetime))
}

// takeChallenge returns the question that an answer is for. It returns waymark.ErrNotFound if there is none,
// or no longer, or if it was for another user.
func (a *Accounts) takeChallenge(ctx context.Context, token string, user waymark.UserID) (waymark.PasskeyChallenge, error) {
	hash, ok := auth.TokenHash(token)
	if !ok {
		return waymark.PasskeyChallenge{}, waymark.ErrNotFound
	}
	challenge, err := a.store.Accounts.TakePasskeyChallenge(ctx, hash)
	if err == nil && challenge.UserID != user {
		err = waymark.ErrNotFound
	}
	return challenge, err
}

// AddPasskey adds the passkey that a device has made to a user. Its error can be waymark.ErrNotFound if the
// question is too old, waymark.ErrUnknownPasskey, waymark.ErrConflict, or a waymark.ValidationError.
func (a *Accounts) AddPasskey(ctx context.Context, visitor Visitor, answer PasskeyAnswer, name string) error {
	challenge, err := a.takeChallenge(ctx, answer.Token, visitor.User.ID)
	if err != nil {
		return err
	}
	passkey, err := answer.Site.Created([]byte(challenge.Data), []byte(answer.Response))
	if err != nil {
		return err
	}
	passkey.UserID = visitor.User.ID
	if passkey.Name, err = passkeyName(name); err != nil {
		return err
	}
	return a.store.Accounts.AddPasskey(ctx, passkey, visitor.Session.ID)
}

// RenamePasskey changes the name of a user's passkey. Its error can be a waymark.ValidationError.
func (a *Accounts) RenamePasskey(ctx context.Context, user waymark.UserID, id waymark.PasskeyID, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	return a.store.Accounts.RenamePasskey(ctx, user, id, name)
}

func passkeyName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", waymark.Invalid(waymark.FieldName, waymark.RuleRequired)
	case len([]rune(name)) > waymark.MaxPasskeyName:
		return "", &waymark.ValidationError{Problems: []waymark.Problem{{Field: waymark.FieldName, Rule: waymark.RuleMaxLength, Limit: waymark.MaxPasskeyName}}}
	}
	return name, nil
}

// SignInWithPasskey creates a session for the user of a passkey and returns its secret. With keep it lasts
// longer. A passkey whose device has verified the person counts as two factors; after another, the user is
// asked for a code if they have an authenticator app: a *SecondStep. Its error can also be
// waymark.ErrNotFound if the question is too old, waymark.ErrUnknownPasskey, or ErrUnverifiedPasskey.
func (a *Accounts) SignInWithPasskey(ctx context.Context, answer PasskeyAnswer, keep bool, from Client) (secret string, err error) {
	used, err := a.usePasskey(ctx, answer, from)
	if err != nil {
		return "", err
	}
	user, hash, err := a.store.Accounts.CredentialsOf(ctx, used.UserID)
	if err != nil {
		return "", err
	}
	if user.Disabled {
		return "", a.logFailure(from, waymark.ErrUnknownPasskey)
	}
	first := waymark.Session{Method: waymark.ByPasskey, PasskeyID: used.ID, Persistent: keep}
	if used.Verified {
		return a.startSession(ctx, user, first, "", nil, from)
	}
	return a.afterFirstStep(ctx, user, first, hash, from)
}

// usePasskey returns the passkey that has answered a question to any passkey, and stores that it was used.
func (a *Accounts) usePasskey(ctx context.Context, answer PasskeyAnswer, from Client) (auth.Used, error) {
	challenge, err := a.takeChallenge(ctx, answer.Token, waymark.Guest)
	if err != nil {
		return auth.Used{}, err
	}
	used, err := answer.Site.Verify([]byte(challenge.Data), []byte(answer.Response), func(credential string) (waymark.Passkey, error) {
		passkey, err := a.store.Accounts.Passkey(ctx, credential)
		if errors.Is(err, waymark.ErrNotFound) {
			err = fmt.Errorf("%w: it is not stored", waymark.ErrUnknownPasskey)
		}
		return passkey, err
	})
	if errors.Is(err, waymark.ErrUnknownPasskey) {
		return auth.Used{}, a.logFailure(from, err)
	}
	if err != nil {
		return auth.Used{}, err
	}
	if used.Cloned {
		a.log.WarnContext(ctx, "the count of a passkey has not grown: there may be a copy of its device", "user", used.UserID, "passkey", used.Name)
	}
	return used, a.store.Accounts.UsePasskey(ctx, used.Passkey)
}

// RemovePasskey removes a passkey of a user. Its error can be ErrLastWay or ErrFactorRequired.
func (a *Accounts) RemovePasskey(ctx context.Context, user waymark.UserID, id waymark.PasskeyID) error {
	return a.store.Accounts.DeletePasskey(ctx, user, id, func(left waymark.SignInWays) error {
		return cmp.Or(a.keepWay(left), keepFactor(left.Factors))
	})
}
