package web

// access says who may use a route.
type access int

// The kinds of access.
const (
	anyone    access = iota // also before anyone has signed in: sign-in, set-up
	forGuests               // users, and guests if the server has pages for them
	forUsers
	forAdmins
)

// route is one page, or one change.
type route struct {
	method string
	path   string
	access access
	handle func(*visit) error
}

// routes are all pages and changes. GET never changes anything; every change is a POST and
// redirects to a page.
var routes = []route{
	{"GET", "/{$}", anyone, (*visit).showStart},

	{"GET", "/setup/{token}", anyone, (*visit).showSetup},
	{"POST", "/setup/{token}", anyone, (*visit).setUp},
	{"GET", "/signin", anyone, (*visit).showSignIn},
	{"POST", "/signin", anyone, (*visit).signIn},
	{"GET", "/login", anyone, redirectTo("/signin")},
	{"POST", "/signout", forUsers, (*visit).signOut},

	{"GET", "/links", forUsers, (*visit).showLinks},
}

// redirectTo returns the handler of an address that has moved. The query is kept.
func redirectTo(path string) func(*visit) error {
	return func(v *visit) error {
		if v.r.URL.RawQuery != "" {
			return v.redirect(path + "?" + v.r.URL.RawQuery)
		}
		return v.redirect(path)
	}
}
