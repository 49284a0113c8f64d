package page

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"waymark/internal/waymark"
)

// sessionCookie is the name of the cookie with the secret of the session. Over https the name has a
// prefix: browsers then accept the cookie only from this host. Over plain http, as in many home
// networks, browsers refuse a cookie with that prefix.
const (
	sessionCookie       = "waymark"
	secureSessionCookie = "__Host-waymark"
	messageCookie       = "waymark-message"
)

// secure reports whether the browser reaches the server over https.
func (r *Request) secure() bool { return strings.HasPrefix(r.BaseURL(), "https://") }

func (r *Request) sessionCookieName() string {
	if r.secure() {
		return secureSessionCookie
	}
	return sessionCookie
}

// sessionSecret returns the secret of the session, or "" if the request has none.
func (r *Request) sessionSecret() string {
	cookie, err := r.HTTP.Cookie(r.sessionCookieName())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SetSession stores the secret of a session in the browser, which keeps it for maxAge seconds, or
// until it is closed if that is 0.
func (r *Request) SetSession(secret string, maxAge int) {
	http.SetCookie(r.W, r.Cookie(r.sessionCookieName(), secret, maxAge))
}

// ClearSession removes the secret from the browser.
func (r *Request) ClearSession() { http.SetCookie(r.W, r.Cookie(r.sessionCookieName(), "", -1)) }

// Cookie returns a cookie that the browser keeps for maxAge seconds. If maxAge is 0, it keeps the
// cookie until it is closed; if negative, it removes it.
func (r *Request) Cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: r.secure(), SameSite: http.SameSiteLaxMode}
}

// Toast is a sentence about a change, for the next page or for a script. Undo is the token
// that undoes the change, "" if nothing can.
type Toast struct {
	Text string `json:"text"`
	Undo string `json:"undo,omitempty"`
	// UndoPath is the path of the form that undoes the change, if that is another one.
	UndoPath string `json:"undo_path,omitempty"`
	Back     string `json:"back,omitempty"` // the path to return to after the undo
}

// messageAge is the time within which the next page must follow, in seconds.
const messageAge = 60

// maxMessage is the maximum size of a message in a cookie, in bytes. Browsers accept cookies of
// 4,096 bytes, including the name and the attributes, and base64 makes a message a third longer.
const maxMessage = 2900

// say stores a sentence in the browser, which the next page shows.
func (r *Request) say(message Toast) error {
	text, err := json.Marshal(message)
	if len(text) > maxMessage { // the sentence and a token alone are never that long
		message.Back, message.UndoPath = "", ""
		text, err = json.Marshal(message)
	}
	if err != nil {
		return err
	}
	http.SetCookie(r.W, r.Cookie(messageCookie, base64.RawURLEncoding.EncodeToString(text), messageAge))
	return nil
}

// said returns the sentence that an earlier response has stored, or nil, and removes it.
func (r *Request) said() *Toast {
	cookie, err := r.HTTP.Cookie(messageCookie)
	if err != nil {
		return nil
	}
	http.SetCookie(r.W, r.Cookie(messageCookie, "", -1))
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return nil
	}
	var message Toast
	if err := json.Unmarshal(text, &message); err != nil {
		return nil
	}
	return &message
}

// changedPart is a message about a change, and the counts in the sidebar after it.
type changedPart struct {
	Toast  *Toast
	Counts waymark.Counts
}

// Changed responds to a change: with the sentence and the counts if a script asked, otherwise with
// a redirect to path, where the next page shows the sentence.
func (r *Request) Changed(path string, message Toast) error {
	if r.Partial("toasts") {
		counts, err := r.Store.Counts(r.Context(), r.User.ID)
		if err != nil {
			return err
		}
		return r.RenderPart("toast-part", changedPart{&message, counts})
	}
	if err := r.say(message); err != nil {
		return err
	}
	return r.Redirect(path)
}
