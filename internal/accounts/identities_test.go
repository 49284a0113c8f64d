package accounts_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/identity"
	"waymark/internal/identity/identitytest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// office is a server whose people sign in at a provider.
type office struct {
	*accounts.Accounts
	t        *testing.T
	store    *store.Store
	there    *identitytest.Provider
	settings config.SignIn
}

// newOffice returns a server on a store, with a user "ada" who has a password. edit changes its settings.
func newOffice(t *testing.T, s *store.Store, edit func(*config.SignIn)) *office {
	t.Helper()
	o := &office{t: t, store: s, there: identitytest.New(t)}
	o.settings.OIDC = o.there.Settings()
	if edit != nil {
		edit(&o.settings)
	}
	o.Accounts = o.server()
	addQuick(t, o.Accounts, "ada")
	return o
}

// server returns another server with the same settings and database.
func (o *office) server() *accounts.Accounts {
	o.t.Helper()
	log := slog.New(slog.NewTextHandler(o.t.Output(), nil))
	provider := identity.New(o.settings.OIDC, identity.Options{BaseURL: "https://links.example.org", Log: log})
	o.t.Cleanup(provider.Close)
	return accounts.New(o.store, accounts.Options{SignIn: o.settings, Provider: provider, Log: log})
}

// begin sends a browser to the provider, and returns the secret that it keeps and what it brings back.
func (o *office) begin(request waymark.ProviderRequest, invitation string) (secret string, response accounts.ProviderResponse) {
	o.t.Helper()
	location, secret, err := o.BeginProvider(o.t.Context(), request, invitation)
	if err != nil {
		o.t.Fatal(err)
	}
	back, err := url.Parse(o.there.Authorize(location))
	if err != nil {
		o.t.Fatal(err)
	}
	query := back.Query()
	return secret, accounts.ProviderResponse{Response: identity.Response{Code: query.Get("code"), Issuer: query.Get("iss")}, State: query.Get("state"), Error: query.Get("error")}
}

// do makes a request and returns its result.
func (o *office) do(request waymark.ProviderRequest, invitation string, visitor accounts.Visitor) (session string, err error) {
	o.t.Helper()
	secret, response := o.begin(request, invitation)
	_, session, err = o.FinishProvider(o.t.Context(), secret, response, visitor, from("192.0.2.1"))
	return session, err
}

// signIn signs a person in who has this subject and name at the provider.
func (o *office) signIn(subject, name string, claims map[string]any) (waymark.User, error) {
	o.t.Helper()
	o.there.SetPerson(identitytest.Person{Subject: subject, Username: name, Claims: claims})
	session, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToSignIn}, "", accounts.Visitor{})
	if err != nil {
		return waymark.User{}, err
	}
	return o.visitor(session).User, nil
}

func (o *office) visitor(session string) accounts.Visitor {
	o.t.Helper()
	visitor, err := o.Visitor(o.t.Context(), session)
	if err != nil {
		o.t.Fatal(err)
	}
	return visitor
}

// password signs ada in with her password.
func (o *office) password() accounts.Visitor {
	o.t.Helper()
	session, err := o.SignIn(o.t.Context(), "ada", password, true, from("192.0.2.1"))
	if err != nil {
		o.t.Fatal(err)
	}
	return o.visitor(session)
}

// want checks an error.
func (o *office) want(what string, got, want error) {
	o.t.Helper()
	if !errors.Is(got, want) {
		o.t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

func createUsers(s *config.SignIn) { s.NewUsers = config.CreateUsers }

func TestProviderNeverJoinsAUserByName(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, nil)
		_, err := o.signIn("1", "ada", nil)
		o.want("a new person", err, accounts.ErrNoIdentity)
		o.settings.NewUsers = config.CreateUsers
		o.Accounts = o.server()
		long := strings.Repeat("ä", waymark.MaxName)
		for i, test := range []struct{ name, want string }{
			{"ada", "ada2"}, {"ben@example.org", "ben"}, {"", "user"}, {"", "user2"}, {" \u200b", "user3"}, {"..@example.org", "user4"}, {"Mei Lin", "MeiLin"}, {long, long}, {long + "x", long[:len(long)-2] + "2"},
		} {
			user, err := o.signIn(strconv.Itoa(i+1), test.name, nil)
			if err != nil || user.Name != test.want || user.Admin {
				t.Errorf("%q: got %+v, %v, want a new user %s", test.name, user, err, test.want)
			}
		}
		again, err := o.signIn("1", "another name", nil)
		if err != nil || again.Name != "ada2" {
			t.Errorf("with another name: got %+v, %v, want ada2", again, err)
		}
	})
}

func TestPeopleRaceForOneAccount(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, createUsers)
		const n = 6
		type result struct {
			session string
			err     error
		}
		results := make(chan result, n)
		for range n {
			secret, response := o.begin(waymark.ProviderRequest{Purpose: waymark.ToSignIn}, "")
			go func() {
				_, session, err := o.FinishProvider(t.Context(), secret, response, accounts.Visitor{}, from("192.0.2.1"))
				results <- result{session, err}
			}()
		}
		for range n {
			r := <-results
			if r.err != nil {
				t.Fatal(r.err)
			}
			if name := o.visitor(r.session).User.Name; name != "ada2" {
				t.Errorf("got %s, want ada2", name)
			}
		}
		if users, err := s.Accounts.Users(t.Context()); err != nil || len(users) != 2 {
			t.Errorf("got users %+v, %v, want ada and ada2", users, err)
		}
	})
}

func TestResponseWorksOnceInOneBrowser(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, createUsers)
		o.there.SetHostile(identitytest.Hostile{Codes: true})
		secret, response := o.begin(waymark.ProviderRequest{Purpose: waymark.ToSignIn, Persistent: true, Back: "/lists"}, "")
		finish := func(a *accounts.Accounts, secret string, r accounts.ProviderResponse) (waymark.ProviderRequest, error) {
			request, _, err := a.FinishProvider(t.Context(), secret, r, accounts.Visitor{}, from("192.0.2.1"))
			return request, err
		}
		stolen, _ := o.begin(waymark.ProviderRequest{Purpose: waymark.ToSignIn}, "")
		_, err := finish(o.Accounts, stolen, response)
		o.want("in another browser", err, accounts.ErrExpired)
		_, err = finish(o.Accounts, "", response)
		o.want("in a browser that has not asked", err, accounts.ErrExpired)
		_, err = finish(o.Accounts, secret, accounts.ProviderResponse{Response: response.Response})
		o.want("without the state", err, accounts.ErrExpired)

		request, err := finish(o.server(), secret, response) // another server of the database
		o.want("first", err, nil)
		if request.Back != "/lists" || !request.Persistent {
			t.Errorf("got %+v, want a persistent session that goes on to /lists", request)
		}
		_, err = finish(o.Accounts, secret, response)
		o.want("again", err, accounts.ErrExpired)
	})
}

func TestProviderErrors(t *testing.T) {
	o := newOffice(t, storetest.Open(t), createUsers)
	for code, want := range map[string]error{"access_denied": accounts.ErrRefused, "server_error": identity.ErrNoAnswer, "<b>unauthorized_client": identity.ErrInvalid} {
		secret, response := o.begin(waymark.ProviderRequest{Purpose: waymark.ToSignIn}, "")
		response.Error, response.Code = code, ""
		_, _, err := o.FinishProvider(t.Context(), secret, response, accounts.Visitor{}, from("192.0.2.1"))
		o.want(code, err, want)
	}
	o.there.SetDown(true)
	_, _, err := o.server().BeginProvider(t.Context(), waymark.ProviderRequest{Purpose: waymark.ToSignIn}, "")
	o.want("down", err, identity.ErrNoAnswer)
	o.password() // still signs in
}

func TestDisabledAndDeletedUsersOfAProvider(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, createUsers)
		ben, err := o.signIn("2", "ben", nil)
		o.want("ben", err, nil)
		o.want("disable", o.SetUserDisabled(t.Context(), "ben", true), nil)
		_, err = o.signIn("2", "ben", nil)
		o.want("disabled", err, accounts.ErrRefused)
		o.want("remove", storetest.RemoveUser(t.Context(), s, ben.ID), nil)
		again, err := o.signIn("2", "ben", nil)
		if err != nil || again.ID == ben.ID {
			t.Errorf("after the removal: got %+v, %v, want a new user", again, err)
		}
	})
}

func TestGroupsDecideWhoSignsInAndWhoAdministers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, func(s *config.SignIn) {
			s.NewUsers = config.CreateUsers
			s.OIDC.AllowGroup, s.OIDC.AdminGroup = config.Group{Claim: "groups", Name: "staff"}, config.Group{Claim: "groups", Name: "admins"}
		})
		in := func(groups ...string) map[string]any { return map[string]any{"groups": groups} }
		for _, step := range []struct {
			claims map[string]any
			admin  bool
			err    error
		}{
			{in("guests"), false, accounts.ErrRefused},
			{nil, false, accounts.ErrRefused},
			{in("staff"), false, nil},
			{in("staff", "admins"), true, nil},
			{map[string]any{"_claim_names": map[string]any{"groups": "s"}, "_claim_sources": map[string]any{"s": map[string]any{}}}, false, accounts.ErrRefused},
			{in("staff"), false, nil},
		} {
			user, err := o.signIn("2", "ben", step.claims)
			o.want(fmt.Sprint(step.claims), err, step.err)
			if err == nil && user.Admin != step.admin {
				t.Errorf("%v: got an administrator: %t", step.claims, user.Admin)
			}
		}
		visitor := o.password()
		o.there.SetPerson(identitytest.Person{Subject: "1", Claims: in("staff")})
		_, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToConnect, UserID: visitor.User.ID}, "", visitor)
		o.want("connect", err, nil)
		if ada, err := o.signIn("1", "", in("staff")); err != nil || !ada.Admin {
			t.Errorf("got %+v, %v, want ada to stay the last administrator", ada, err)
		}
	})
}

func TestInvitationIsAcceptedAtTheProvider(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, func(s *config.SignIn) { s.PasswordSignIn = "off" })
		ada, err := s.Accounts.UserByName(t.Context(), "ada")
		o.want("ada", err, nil)
		join := func(subject, name string) (waymark.User, error) {
			token, _, err := o.NewInvitation(t.Context(), ada, name, name == "ben")
			o.want("invite", err, nil)
			_, err = o.UseInvitation(t.Context(), token, "eve", strong, from("192.0.2.1"))
			o.want("with a password", err, waymark.ErrForbidden)
			o.there.SetPerson(identitytest.Person{Subject: subject, Username: "ada"})
			session, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToJoin}, token, accounts.Visitor{})
			if err != nil {
				return waymark.User{}, err
			}
			_, err = o.OneTimeToken(t.Context(), token)
			o.want("the invitation afterwards", err, waymark.ErrNotFound)
			return o.visitor(session).User, nil
		}
		if user, err := join("2", "ben"); err != nil || user.Name != "ben" || !user.Admin {
			t.Errorf("got %+v, %v, want ben, an administrator", user, err)
		}
		if user, err := join("3", ""); err != nil || user.Name != "ada2" || user.Admin {
			t.Errorf("got %+v, %v, want ada2", user, err)
		}
		_, err = join("3", "")
		o.want("an account that is in use", err, accounts.ErrIdentityTaken)
		o.settings.NewUsers = config.NoUsers
		o.Accounts = o.server()
		_, err = join("4", "")
		o.want("no new users", err, accounts.ErrNoIdentity)
		_, _, err = o.BeginProvider(t.Context(), waymark.ProviderRequest{Purpose: waymark.ToJoin}, "no token")
		o.want("no invitation", err, waymark.ErrNotFound)
	})
}

func TestConnectAndDisconnect(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		o := newOffice(t, s, createUsers)
		ada := o.password()
		connect := waymark.ProviderRequest{Purpose: waymark.ToConnect, UserID: ada.User.ID}
		_, err := o.do(connect, "", ada)
		o.want("connect", err, nil)
		_, err = o.do(connect, "", ada)
		o.want("connect again", err, accounts.ErrIdentityTaken)
		if user, err := o.signIn("1", "countess", nil); err != nil || user.ID != ada.User.ID {
			t.Errorf("got %+v, %v, want ada", user, err)
		}
		ben, err := o.signIn("2", "ben", nil)
		o.want("ben", err, nil)
		secret, response := o.begin(connect, "")
		_, _, err = o.FinishProvider(ctx, secret, response, accounts.Visitor{User: ben}, from("192.0.2.1"))
		o.want("after another user has signed in", err, accounts.ErrExpired)

		o.want("disconnect ben's only way in", o.Disconnect(ctx, ben.ID, o.there.URL), accounts.ErrLastWay)
		o.want("disconnect", o.Disconnect(ctx, ada.User.ID, o.there.URL), nil)
		o.want("disconnect again", o.Disconnect(ctx, ada.User.ID, o.there.URL), waymark.ErrNotFound)
		var events []string
		o.want("events", s.Accounts.TakeAuditEvents(ctx, func(e waymark.AuditEvent) { events = append(events, e.Event+" "+e.User+" "+e.Detail) }), nil)
		for _, want := range []string{"sign-in provider connected ada subject 1 at " + o.there.URL, "sign-in provider disconnected ada subject 1 at " + o.there.URL} {
			if !slices.Contains(events, want) {
				t.Errorf("got events %q, want %q", events, want)
			}
		}
	})
}

func TestConfirmAtTheProvider(t *testing.T) {
	now := waymark.FromTime(time.Now().Add(-waymark.ConfirmationLifetime))
	o := newOffice(t, openAt(t, &now), nil)
	ada := o.password()
	_, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToConnect, UserID: ada.User.ID}, "", ada)
	o.want("connect", err, nil)
	now = now.Add(waymark.ConfirmationLifetime)
	confirm := func(person identitytest.Person) error {
		o.there.SetPerson(person)
		_, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToConfirm, UserID: ada.User.ID}, "", ada)
		return err
	}
	o.want("another person", confirm(identitytest.Person{Subject: "2"}), accounts.ErrOtherIdentity)
	long := map[string]any{"auth_time": time.Now().Add(-time.Hour).Unix()}
	o.want("long ago", confirm(identitytest.Person{Subject: "1", Claims: long}), accounts.ErrOtherIdentity)
	session, err := o.store.Accounts.Sessions(t.Context(), ada.User.ID)
	if err != nil || o.Confirmed(session[0]) {
		t.Fatalf("got %+v, %v, want a session that is not confirmed", session, err)
	}
	just := map[string]any{"auth_time": now.Time().Unix()}
	o.want("just now", confirm(identitytest.Person{Subject: "1", Claims: just}), nil)
	if session, err = o.store.Accounts.Sessions(t.Context(), ada.User.ID); err != nil || !o.Confirmed(session[0]) {
		t.Errorf("got %+v, %v, want a confirmed session", session, err)
	}
}

func TestServerIsNotLeftWithoutAdministrators(t *testing.T) {
	o := newOffice(t, storetest.Open(t), nil)
	ada := o.password()
	o.settings.PasswordSignIn = "off"
	if err := o.server().CheckAdministrators(t.Context()); err == nil {
		t.Error("no administrator can sign in: got no error")
	}
	_, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToConnect, UserID: ada.User.ID}, "", ada)
	o.want("connect", err, nil)
	o.want("an administrator is connected", o.server().CheckAdministrators(t.Context()), nil)
	_, err = o.server().SignIn(t.Context(), "ada", password, true, from("192.0.2.1"))
	o.want("with a password", err, waymark.ErrForbidden)
	o.want("disconnect the only way in", o.server().Disconnect(t.Context(), ada.User.ID, o.there.URL), accounts.ErrLastWay)
}

func TestProxySignsPeopleIn(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		server := func(newUsers string) *accounts.Accounts {
			return accounts.New(s, accounts.Options{SignIn: config.SignIn{AuthHeader: "Remote-User", NewUsers: newUsers}})
		}
		want := func(what, newUsers, name string, want error) {
			t.Helper()
			if _, err := server(newUsers).SignInByHeader(ctx, name, from("192.0.2.1")); !errors.Is(err, want) {
				t.Errorf("%s: got error %v, want %v", what, err, want)
			}
		}
		want("before the first user", config.CreateUsers, "ada", accounts.ErrNoIdentity)
		addQuick(t, server(""), "ada")
		want("ada", "invite", "ADA", nil)
		want("ben", "invite", "ben", accounts.ErrNoIdentity)
		want("ben, created", config.CreateUsers, "ben", nil)
		want("an invalid name", config.CreateUsers, "b e n", accounts.ErrNoIdentity)
		check(t, server("").SetUserDisabled(ctx, "ben", true))
		want("ben, disabled", config.CreateUsers, "ben", accounts.ErrRefused)
	})
}
