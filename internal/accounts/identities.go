package accounts

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/auth"
	"waymark/internal/config"
	"waymark/internal/identity"
	"waymark/internal/waymark"
)

// What a sign-in at the provider can end with, besides identity.ErrNoAnswer and identity.ErrInvalid.
var (
	// ErrExpired means that the response is not that of a request from this browser, or no longer.
	ErrExpired = errors.New("the sign-in at the provider has expired")
	// ErrRefused means that the provider or --oidc-allow-group does not let a person in, or that the user is disabled.
	ErrRefused = errors.New("the provider does not let this person in")
	// ErrNoIdentity means that no user has the account, and that it does not make one.
	ErrNoIdentity = errors.New("no user has this account at the provider")
	// ErrIdentityTaken means that another user has the account, or the user another account.
	ErrIdentityTaken = errors.New("the account at the provider is connected already")
	// ErrOtherIdentity means that a user has confirmed with the account of another person, or not just now.
	ErrOtherIdentity = errors.New("the account at the provider is not that of this user")
	// ErrLastWay means that a user could no longer sign in.
	ErrLastWay = errors.New("this is the only way in which the user can sign in")
)

// maxBack limits the path that is stored for a guest who goes to the provider, in bytes. Guests send as many
// requests as they like, and nobody returns to a longer path.
const maxBack = 4096

// BeginProvider returns the URL at which a person signs in at the provider, and the secret that their
// browser keeps in the meantime. invitation is the token of the invitation, or of the setup, for
// waymark.ToJoin. Its error can be identity.ErrNoAnswer.
func (a *Accounts) BeginProvider(ctx context.Context, request waymark.ProviderRequest, invitation string) (url, secret string, err error) {
	if a.provider == nil {
		return "", "", waymark.ErrNotFound
	}
	if request.Purpose == waymark.ToJoin {
		if _, err := a.OneTimeToken(ctx, invitation); err != nil {
			return "", "", err
		}
		request.InvitationHash, _ = auth.TokenHash(invitation)
	}
	if len(request.Back) > maxBack {
		request.Back = "/"
	}
	secret, hash := auth.NewToken()
	request.Nonce, _ = auth.NewToken()
	request.Verifier, _ = auth.NewToken() // its length and alphabet are those of a verifier
	request.ExpiresAt = a.store.Now().Add(waymark.ProviderRequestLifetime)
	url, err = a.provider.Begin(ctx, stateOf(hash), request.Nonce, request.Verifier, request.Purpose == waymark.ToConfirm)
	if err != nil {
		return "", "", err
	}
	return url, secret, a.store.Accounts.CreateProviderRequest(ctx, hash, request)
}

// stateOf returns the state of a request: the hash of its secret. Who reads it in a URL cannot compute
// the secret, without which the response is refused.
func stateOf(hash []byte) string { return base64.RawURLEncoding.EncodeToString(hash) }

// ProviderResponse is what a browser brings back from the provider.
type ProviderResponse struct {
	identity.Response
	State string
	Error string // the provider's, "" for none
}

// FinishProvider does what a request to the provider was for. secret is that of BeginProvider, and visitor
// who is signed in, if anybody is. It returns the request, also with an error if there was one, and the
// secret of a session, except for waymark.ToConnect.
func (a *Accounts) FinishProvider(ctx context.Context, secret string, response ProviderResponse, visitor Visitor, from Client) (request waymark.ProviderRequest, session string, err error) {
	hash, ok := auth.TokenHash(secret)
	if a.provider == nil || !ok || subtle.ConstantTimeCompare([]byte(response.State), []byte(stateOf(hash))) != 1 {
		return request, "", ErrExpired
	}
	request, err = a.store.Accounts.TakeProviderRequest(ctx, hash)
	if errors.Is(err, waymark.ErrNotFound) || err == nil && request.UserID != waymark.Guest && request.UserID != visitor.User.ID {
		return request, "", ErrExpired
	}
	if err != nil {
		return request, "", err
	}
	session, err = a.finishProvider(ctx, request, response, visitor, from)
	return request, session, err
}

func (a *Accounts) finishProvider(ctx context.Context, request waymark.ProviderRequest, response ProviderResponse, visitor Visitor, from Client) (session string, err error) {
	switch response.Error {
	case "":
	case "access_denied":
		return "", a.logFailure(from, ErrRefused)
	case "server_error", "temporarily_unavailable":
		return "", a.logFailure(from, fmt.Errorf("%w: %q", identity.ErrNoAnswer, response.Error))
	default: // such as unauthorized_client: the settings here or there are wrong
		return "", a.logFailure(from, fmt.Errorf("%w: %q", identity.ErrInvalid, response.Error))
	}
	claims, err := a.provider.Finish(ctx, response.Response, request.Nonce, request.Verifier)
	if err != nil {
		return "", a.logFailure(from, err)
	}
	person, err := a.person(ctx, claims)
	if err != nil {
		return "", a.logFailure(from, err)
	}
	switch request.Purpose {
	case waymark.ToConnect:
		person.UserID = visitor.User.ID
		if err = a.store.Accounts.CreateIdentity(ctx, person.Identity); errors.Is(err, waymark.ErrConflict) {
			err = ErrIdentityTaken
		}
		return "", err
	case waymark.ToConfirm:
		return a.confirmIdentity(ctx, request, person, visitor, from)
	}
	user, err := a.userOf(ctx, request, person)
	if err != nil {
		return "", a.logFailure(from, err)
	}
	session, err = a.startSession(ctx, user, waymark.Session{Method: waymark.ByProvider, IDToken: claims.IDToken, Persistent: request.Persistent}, "", nil, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // the user was just disabled
		err = a.logFailure(from, ErrRefused)
	}
	return session, err
}

// person is who has signed in at the provider.
type person struct {
	waymark.Identity
	name     string // for a new user
	admin    *bool  // nil if the provider does not decide it
	authTime waymark.Time
}

// person returns who the claims are about, or ErrRefused if they may not sign in.
func (a *Accounts) person(ctx context.Context, claims identity.Claims) (person, error) {
	// The issuer is that of the settings: Google names itself in two ways.
	p := person{Identity: waymark.Identity{Issuer: a.provider.Issuer(), Subject: claims.Subject, Name: claims.Label()}, name: claims.Username()}
	if !claims.AuthTime.IsZero() {
		p.authTime = waymark.FromTime(claims.AuthTime)
	}
	in := func(group config.Group) (member, known bool) {
		member, known = claims.In(group)
		if !known {
			a.log.WarnContext(ctx, "the provider does not send the groups of a person, because they are too many", "subject", claims.Subject, "claim", group.Claim)
		}
		return member, known
	}
	if group := a.signInSettings.OIDC.AllowGroup; group != (config.Group{}) {
		if member, _ := in(group); !member {
			return person{}, ErrRefused
		}
	}
	if group := a.signInSettings.OIDC.AdminGroup; group != (config.Group{}) {
		if member, known := in(group); known {
			p.admin = &member
		}
	}
	return p, nil
}

// userOf returns the user who signs in, and creates them if the request and the settings allow it.
func (a *Accounts) userOf(ctx context.Context, request waymark.ProviderRequest, p person) (waymark.User, error) {
	if request.Purpose == waymark.ToJoin {
		return a.joinAs(ctx, request, p)
	}
	user, err := a.useIdentity(ctx, p)
	if !errors.Is(err, ErrNoIdentity) || a.signInSettings.NewUsers != config.CreateUsers {
		return user, err
	}
	user, err = a.withFreeName(ctx, p, func(name string) (waymark.User, error) {
		created := newUser(name)
		created.Admin = p.admin != nil && *p.admin
		return a.store.Accounts.CreateUserWithIdentity(ctx, created, p.Identity)
	})
	switch {
	case errors.Is(err, ErrIdentityTaken): // by another request of the same person
		return a.useIdentity(ctx, p)
	case errors.Is(err, waymark.ErrForbidden):
		return user, ErrNoIdentity // the first user must be an administrator
	}
	return user, err
}

func (a *Accounts) joinAs(ctx context.Context, request waymark.ProviderRequest, p person) (waymark.User, error) {
	invitation, err := a.store.Accounts.Invitation(ctx, request.InvitationHash)
	if err != nil {
		return waymark.User{}, err
	}
	if a.signInSettings.NewUsers == config.NoUsers && !invitation.Setup {
		return waymark.User{}, ErrNoIdentity
	}
	p.name = cmp.Or(invitation.Name, p.name)
	user, err := a.withFreeName(ctx, p, func(name string) (waymark.User, error) {
		return a.store.Accounts.AcceptInvitation(ctx, request.InvitationHash, newUser(name), "", &p.Identity)
	})
	if err != nil {
		return user, err
	}
	return a.useIdentity(ctx, p) // the group of administrators counts from now on
}

// useIdentity returns the user who has an account at the provider.
func (a *Accounts) useIdentity(ctx context.Context, p person) (waymark.User, error) {
	user, err := a.store.Accounts.UseIdentity(ctx, p.Identity, p.admin)
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return user, ErrNoIdentity
	case errors.Is(err, waymark.ErrForbidden):
		return user, ErrRefused
	case err == nil && p.admin != nil && user.Admin != *p.admin:
		a.log.WarnContext(ctx, "the last administrator stays one without being in the group of the provider", "user", user.Name)
	}
	return user, err
}

// maxNames is how many names are tried for a new user.
const maxNames = 100

// withFreeName calls create with names for a new user until one is free. The error is ErrIdentityTaken if a
// user has the account already.
func (a *Accounts) withFreeName(ctx context.Context, p person, create func(name string) (waymark.User, error)) (waymark.User, error) {
	for n := 1; ; n++ {
		user, err := create(numberedName(p.name, n))
		if !errors.Is(err, waymark.ErrConflict) {
			return user, err
		}
		taken, hasErr := a.store.Accounts.HasIdentity(ctx, p.Issuer, p.Subject)
		switch {
		case hasErr != nil:
			return user, hasErr
		case taken:
			return user, ErrIdentityTaken
		case n == maxNames:
			return user, err
		}
	}
}

// numberedName returns the n-th name to try for a person who has this name at the provider. The part of an
// e-mail address after @ is left out, because others see names.
func numberedName(name string, n int) string {
	name, _, _ = strings.Cut(name, "@")
	runes := slices.DeleteFunc([]rune(name), func(r rune) bool { return waymark.ValidateUserName(string(r)) != nil && r != '.' })
	if waymark.ValidateUserName(string(runes[:min(len(runes), waymark.MaxName)])) != nil {
		runes = []rune("user")
	}
	suffix := ""
	if n > 1 {
		suffix = strconv.Itoa(n)
	}
	return string(runes[:min(len(runes), waymark.MaxName-len(suffix))]) + suffix
}

func (a *Accounts) confirmIdentity(ctx context.Context, request waymark.ProviderRequest, p person, visitor Visitor, from Client) (secret string, err error) {
	identities, err := a.store.Accounts.Identities(ctx, visitor.User.ID)
	if err != nil {
		return "", err
	}
	own := slices.ContainsFunc(identities, func(i waymark.Identity) bool { return i.Issuer == p.Issuer && i.Subject == p.Subject })
	asked := request.ExpiresAt.Add(-waymark.ProviderRequestLifetime)
	if !own || p.authTime != 0 && p.authTime.Add(identity.ClockSkew) < asked {
		return "", a.logFailure(from, ErrOtherIdentity)
	}
	return a.confirmSession(ctx, visitor, waymark.Session{})
}

// Disconnect removes a user's account at a provider. Its error can be ErrLastWay.
func (a *Accounts) Disconnect(ctx context.Context, user waymark.UserID, issuer string) error {
	return a.store.Accounts.DeleteIdentity(ctx, user, issuer, a.keepWay)
}

// keepWay permits what leaves a user a way to sign in.
func (a *Accounts) keepWay(left waymark.SignInWays) error {
	if !a.CanSignIn(left) {
		return ErrLastWay
	}
	return nil
}

// CanSignIn reports whether a user with these ways can sign in with the settings of the server.
func (a *Accounts) CanSignIn(ways waymark.SignInWays) bool {
	return ways.Passkeys > 0 || ways.Password && a.signInSettings.Passwords() || a.AtProvider(ways) || a.signInSettings.AuthHeader != ""
}

// AtProvider reports whether a user with these ways has an account at the provider of the server.
func (a *Accounts) AtProvider(ways waymark.SignInWays) bool {
	return a.provider != nil && slices.Contains(ways.Issuers, a.provider.Issuer())
}

// SignOutURL returns the URL at which the user of a session also signs out at the provider, and then goes to
// back. It is "" for other sessions, and if the provider has none.
func (a *Accounts) SignOutURL(ctx context.Context, session waymark.Session, back string) string {
	if a.provider == nil || session.Method != waymark.ByProvider {
		return ""
	}
	return a.provider.SignOutURL(ctx, session.IDToken, back)
}

// CheckAdministrators returns an error if nobody could administer the server: nobody can sign in with a
// password, and no administrator has an account at the provider.
func (a *Accounts) CheckAdministrators(ctx context.Context) error {
	if a.signInSettings.Passwords() || a.signInSettings.AuthHeader != "" || a.provider == nil || a.signInSettings.OIDC.AdminGroup != (config.Group{}) {
		return nil
	}
	if some, err := a.store.Accounts.HasUsers(ctx); err != nil || !some {
		return err
	}
	some, err := a.store.Accounts.HasAdministratorAt(ctx, a.provider.Issuer())
	if err != nil || some {
		return err
	}
	return errors.New("--password-sign-in=off would lock out all administrators: start without it, connect the account of one with the provider in the settings, or set --oidc-admin-group")
}

// SignInByHeader creates a session for the user whom a proxy names, and returns its secret. Their account
// exists, or is created if the settings allow it. Its error is ErrRefused if the user is disabled, and
// ErrNoIdentity if there is none. The caller has checked that the name comes from a proxy.
func (a *Accounts) SignInByHeader(ctx context.Context, name string, from Client) (secret string, err error) {
	user, err := a.store.Accounts.UserByName(ctx, name)
	if errors.Is(err, waymark.ErrNotFound) && a.signInSettings.NewUsers == config.CreateUsers && waymark.ValidateUserName(name) == nil {
		user, err = a.createByHeader(ctx, name)
	}
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return "", a.logFailure(from, ErrNoIdentity)
	case err != nil:
		return "", err
	case user.Disabled:
		return "", a.logFailure(from, ErrRefused)
	}
	secret, err = a.startSession(ctx, user, waymark.Session{Method: waymark.ByHeader}, "", nil, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // the user was just disabled
		err = a.logFailure(from, ErrRefused)
	}
	return secret, err
}

// createByHeader creates a user whom a proxy names. The first user is not created so: it would be an
// administrator.
func (a *Accounts) createByHeader(ctx context.Context, name string) (waymark.User, error) {
	some, err := a.store.Accounts.HasUsers(ctx)
	if err != nil {
		return waymark.User{}, err
	}
	if !some {
		return waymark.User{}, waymark.ErrNotFound
	}
	user, err := a.store.Accounts.CreateUser(ctx, newUser(name), "")
	if errors.Is(err, waymark.ErrConflict) { // another request has just created it
		return a.store.Accounts.UserByName(ctx, name)
	}
	return user, err
}
