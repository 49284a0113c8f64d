package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
)

const (
	sessionCookie = "waymark-session"
	messageCookie = "waymark-message"
)

func (r *Request) secure() bool { return strings.HasPrefix(r.BaseURL(), "https://") }

// cookieName returns the name of a cookie of this server. Part of it is a hash of the host, port and
// path: browsers send a cookie to all ports of a host, and two servers on one host would replace each
// other's. Over https the name has a prefix: browsers then accept the cookie only over https and, unless
// the server is below a path, only from this host. Over plain http, as in many home networks, they refuse
// a cookie with a prefix.
func (r *Request) cookieName(name string) string {
	_, server, _ := strings.Cut(r.BaseURL(), "://")
	hash := sha256.Sum256([]byte(strings.ToLower(server)))
	name += "-" + hex.EncodeToString(hash[:4])
	switch {
	case !r.secure():
		return name
	case r.cookiePath() == "/":
		return "__Host-" + name
	default:
		return "__Secure-" + name
	}
}

func (r *Request) cookiePath() string { return cmp.Or(r.Config.BaseURL.EscapedPath(), "/") }

// CookieValue returns the value of a cookie of this server, or "" if the request has none.
func (r *Request) CookieValue(name string) string {
	cookie, err := r.HTTP.Cookie(r.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// SetSession stores the secret of a session in the browser, which keeps it for maxAge seconds, or
// until it is closed if that is 0.
func (r *Request) SetSession(secret string, maxAge int) { r.SetCookie(sessionCookie, secret, maxAge) }

// ClearSession removes the secret from the browser.
func (r *Request) ClearSession() { r.SetCookie(sessionCookie, "", -1) }

// SetCookie sends a cookie that the browser keeps for maxAge seconds. If maxAge is 0, it keeps the
// cookie until it is closed; if negative, it removes it.
func (r *Request) SetCookie(name, value string, maxAge int) {
	http.SetCookie(r.W, &http.Cookie{Name: r.cookieName(name), Value: value, Path: r.cookiePath(), MaxAge: maxAge, HttpOnly: true, Secure: r.secure(), SameSite: http.SameSiteLaxMode})
}

// Toast is a sentence about a change, for the next page or for a script. Undo is the token
// that undoes the change, "" if nothing can.
type Toast struct {
	Text string `json:"text"`
	Undo string `json:"undo,omitempty"`
	// UndoPath is the path of the form that undoes the change, if that is another one.
	UndoPath string `json:"undo_path,omitempty"`
	Back     string `json:"back,omitempty"` // the path to return to after the undo
	// Edit is the path of the form for the link that was saved, with a query.
	Edit string `json:"edit,omitempty"`
	// Trash is the path of the form that moves a list to the trash, if Sublists of its lists have stayed. It undoes
	// the change first.
	Trash    string `json:"trash,omitempty"`
	Sublists int    `json:"sublists,omitempty"`
	// Private are the ids, with commas between them, of links that others do not see in a list. Show is the visibility
	// with which they do.
	Private string `json:"private,omitempty"`
	Show    string `json:"show,omitempty"`
}

// messageAge is the time within which the next page must follow, in seconds.
const messageAge = 60

// maxMessage is the maximum size of a message in a cookie, in bytes. Browsers accept cookies of
// 4,096 bytes, including the name and the attributes, and base64 makes a message a third longer.
const maxMessage = 2900

func (r *Request) say(message Toast) error {
	text, err := json.Marshal(message)
	if len(text) > maxMessage { // the sentence and a token alone are never that long
		message.Back, message.UndoPath, message.Edit, message.Trash, message.Private = "", "", "", "", ""
		text, err = json.Marshal(message)
	}
	if err != nil {
		return err
	}
	r.SetCookie(messageCookie, base64.RawURLEncoding.EncodeToString(text), messageAge)
	return nil
}

// said returns the sentence that an earlier response has stored, or nil, and removes it.
func (r *Request) said() *Toast {
	value := r.CookieValue(messageCookie)
	if value == "" {
		return nil
	}
	r.SetCookie(messageCookie, "", -1)
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return nil
	}
	var message Toast
	if err := json.Unmarshal(text, &message); err != nil {
		return nil
	}
	return &message
}

// Changed responds to a change: with the sentence and the sidebar if a script asked, otherwise with
// a redirect to path, where the next page shows the sentence.
func (r *Request) Changed(path string, message Toast) error {
	if r.Queued() {
		return r.SendJSON(http.StatusOK, struct{}{})
	}
	if r.Partial("toasts") {
		return r.RenderChanged("toast-part", message)
	}
	if err := r.say(message); err != nil {
		return err
	}
	return r.Redirect(path)
}

// NotChanged responds to a change with what is wrong with it, as a message on the page at path. It returns err if that
// is another error.
func (r *Request) NotChanged(path string, err error) error {
	problems, err := r.ProblemsOf(err)
	if err != nil {
		return err
	}
	return r.Changed(path, Toast{Text: problems[0].Text})
}

// Undone responds to an undo that has skipped some entities, which were changed since.
func (r *Request) Undone(path string, skipped int) error {
	text := r.T("bulk.undone")
	if skipped > 0 {
		text = r.T("bulk.undone-partly", "n", skipped)
	}
	return r.Changed(path, Toast{Text: text})
}
