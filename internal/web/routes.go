package web

// access says who may use a route.
type access int

// The kinds of access. Their order matters: from forGuests on, permit requires a signed-in user
// unless the response is shared.
const (
	anyone     access = iota // also before anyone has signed in: sign-in, set-up
	sameForAll               // anyone; the session is not read, because the response is the same
	forGuests                // the pages of guests: sameForAll if they are enabled, else forUsers
	forReaders               // users, and feed readers with the token of a user
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

// routes are all pages and changes. GET never changes anything. Every change is a POST. It
// redirects to a page, except that a secret is shown in the response itself, and a script gets
// the changed part of the page.
var routes = []route{
	{"GET", "/{$}", anyone, showStart},

	{"GET", "/setup", anyone, showNoAccount},
	{"GET", "/setup/{token}", anyone, showSetup},
	{"POST", "/setup/{token}", anyone, setUp},
	{"GET", "/signin", anyone, showSignIn},
	{"POST", "/signin", anyone, signIn},
	{"GET", "/login", anyone, redirectTo("/signin")},
	{"POST", "/signout", forUsers, signOut},

	{"GET", "/join/{token}", anyone, showJoin},
	{"POST", "/join/{token}", anyone, join},
	{"GET", "/password/{token}", anyone, showNewPassword},
	{"POST", "/password/{token}", anyone, setNewPassword},

	{"GET", "/settings", forUsers, showSettings},
	{"GET", "/settings/profile", forUsers, showProfile},
	{"POST", "/settings/profile", forUsers, saveProfile},
	{"POST", "/settings/password", forUsers, savePassword},
	{"GET", "/settings/new-links", forUsers, showNewLinks},
	{"POST", "/settings/new-links", forUsers, saveNewLinks},
	{"GET", "/settings/appearance", forUsers, showAppearance},
	{"POST", "/settings/appearance", forUsers, saveAppearance},
	{"GET", "/settings/api-keys", forUsers, showAPIKeys},
	{"POST", "/settings/api-keys", forUsers, addAPIKey},
	{"POST", "/settings/api-keys/{id}/revoke", forUsers, revokeAPIKey},
	{"POST", "/settings/api-keys/{id}/restore", forUsers, restoreAPIKey},
	{"GET", "/settings/api-tokens", forUsers, redirectTo("/settings/api-keys")},
	{"GET", "/settings/devices", forUsers, showDevices},
	{"POST", "/settings/devices/{id}/end", forUsers, endDevice},
	{"POST", "/settings/devices/end-others", forUsers, endOtherDevices},
	{"GET", "/settings/apps", forUsers, showApps},
	{"POST", "/settings/feeds", forUsers, newFeedToken},
	{"GET", "/settings/data", forUsers, showData},
	{"GET", "/settings/data/export", forUsers, (*visit).export},
	{"POST", "/settings/account/delete", forUsers, deleteAccount},

	{"GET", "/import", forUsers, showImport},
	{"POST", "/import", forUsers, addImport},
	{"GET", "/imports/{id}", forUsers, showImportReport},
	{"POST", "/imports/{id}/undo", forUsers, undoImport},

	{"GET", "/settings/people", forAdmins, showPeople},
	{"POST", "/settings/people/invite", forAdmins, invite},
	{"POST", "/settings/people/invitations/{id}/delete", forAdmins, withdrawInvitation},
	{"GET", "/settings/people/{id}", forAdmins, showPerson},
	{"POST", "/settings/people/{id}/admin", forAdmins, setAdministrator},
	{"POST", "/settings/people/{id}/disable", forAdmins, disableUser},
	{"POST", "/settings/people/{id}/password", forAdmins, resetPassword},
	{"POST", "/settings/people/{id}/password/withdraw", forAdmins, withdrawPassword},
	{"POST", "/settings/people/{id}/remove", forAdmins, removeUser},
	{"GET", "/settings/server", forAdmins, showServer},
	{"GET", "/system/users", forAdmins, redirectTo("/settings/people")},

	{"GET", "/links", forUsers, (*visit).showLinks},
	{"GET", "/shortcuts", forUsers, (*visit).showShortcuts},
	{"POST", "/view", forUsers, (*visit).chooseView},
	{"POST", "/bulk", forUsers, bulkEdit},
	{"POST", "/undo/{token}", forUsers, undoChange},
	{"POST", "/searches", forUsers, addSearch},
	{"POST", "/searches/{id}", forUsers, renameSearch},
	{"POST", "/searches/{id}/delete", forUsers, deleteSearch},
	{"GET", "/jump", forUsers, (*visit).showJump},
	{"GET", "/complete/tags", forUsers, (*visit).completeTags},
	{"GET", "/complete/lists", forUsers, (*visit).completeLists},
	{"GET", "/complete/list-name", forUsers, (*visit).completeListName},
	{"GET", "/complete/url", forUsers, (*visit).completeURL},

	{"POST", "/links", forUsers, saveLink},
	{"GET", "/links/create", forUsers, (*visit).showLinkCreate},
	{"GET", "/links/gone", forUsers, showGone},
	{"GET", "/links/moved", forUsers, showMoved},
	{"POST", "/links/moved", forUsers, acceptMoves},
	{"GET", "/links/{id}", forUsers, (*visit).showLink},
	{"GET", "/links/{id}/edit", forUsers, (*visit).showLinkEdit},
	{"POST", "/links/{id}", forUsers, saveLinkEdit},
	{"POST", "/links/{id}/trash", forUsers, trashLink},
	{"POST", "/links/{id}/notes", forUsers, saveNote},
	{"POST", "/links/{id}/fetch", forUsers, (*visit).fetchLink},
	{"GET", "/links/{id}/snapshot", forUsers, (*visit).showSnapshot},
	{"POST", "/links/{id}/snapshot/remove", forUsers, (*visit).removeSnapshot},
	{"GET", "/links/{id}/full-snapshot", forUsers, (*visit).sendFullSnapshot},
	{"POST", "/links/{id}/check", forUsers, (*visit).checkLink},
	{"POST", "/links/{id}/confirm", forUsers, (*visit).confirmLink},
	{"POST", "/links/{id}/moved", forUsers, (*visit).acceptMove},
	{"GET", "/pictures/{hash}", anyone, sendPicture},
	{"GET", "/notes/{id}/edit", forUsers, showNoteEdit},
	{"POST", "/notes/{id}", forUsers, saveNoteEdit},
	{"POST", "/notes/{id}/trash", forUsers, trashNote},
	{"GET", "/add", forUsers, (*visit).showLinkWindow},
	{"GET", "/bookmarklet/add", forUsers, (*visit).showLinkWindow},
	{"GET", "/add/saved", forUsers, showLinkSaved},

	{"GET", "/lists", forUsers, (*visit).showLists},
	{"POST", "/lists", forUsers, (*visit).saveList},
	{"GET", "/lists/create", forUsers, (*visit).showListCreate},
	{"GET", "/lists/{id}", forUsers, (*visit).showList},
	{"GET", "/lists/{id}/edit", forUsers, (*visit).showListEdit},
	{"POST", "/lists/{id}", forUsers, (*visit).saveListEdit},
	{"POST", "/lists/{id}/trash", forUsers, (*visit).trashList},
	{"POST", "/lists/{id}/pin", forUsers, (*visit).pinList},
	{"GET", "/tags", forUsers, (*visit).showTags},
	{"POST", "/tags", forUsers, (*visit).saveTag},
	{"GET", "/tags/create", forUsers, (*visit).showTagCreate},
	{"GET", "/tags/merge", forUsers, showMergeTags},
	{"POST", "/tags/merge", forUsers, mergeTags},
	{"GET", "/tags/{id}", forUsers, (*visit).showTag},
	{"GET", "/tags/{id}/edit", forUsers, (*visit).showTagEdit},
	{"POST", "/tags/{id}", forUsers, (*visit).saveTagEdit},
	{"POST", "/tags/{id}/trash", forUsers, (*visit).trashTag},
	{"POST", "/tags/{id}/pin", forUsers, (*visit).pinTag},

	{"GET", "/trash", forUsers, redirectTo("/trash/links")},
	{"GET", "/trash/{kind}", forUsers, (*visit).showTrash},
	{"GET", "/trash/clear", forUsers, (*visit).showClearTrash},
	{"POST", "/trash/clear", forUsers, (*visit).clearTrash},
	{"POST", "/trash/restore", forUsers, (*visit).restore},

	{"GET", "/links/feed", forReaders, feedLinks},
	{"GET", "/links/gone/feed", forReaders, feedGone},
	{"GET", "/lists/feed", forReaders, feedLists},
	{"GET", "/lists/{id}/feed", forReaders, feedList},
	{"GET", "/tags/feed", forReaders, feedTags},
	{"GET", "/tags/{id}/feed", forReaders, feedTag},

	{"GET", "/guest", forGuests, redirectTo("/guest/links")},
	{"GET", "/guest/{$}", forGuests, redirectTo("/guest/links")},
	{"GET", "/guest/links", forGuests, (*visit).showGuestLinks},
	{"GET", "/guest/links/feed", forGuests, feedLinks},
	{"GET", "/guest/lists", forGuests, (*visit).showGuestLists},
	{"GET", "/guest/lists/feed", forGuests, feedLists},
	{"GET", "/guest/lists/{id}", forGuests, (*visit).showGuestList},
	{"GET", "/guest/lists/{id}/feed", forGuests, feedList},
	{"GET", "/guest/tags", forGuests, (*visit).showGuestTags},
	{"GET", "/guest/tags/feed", forGuests, feedTags},
	{"GET", "/guest/tags/{id}", forGuests, (*visit).showGuestTag},
	{"GET", "/guest/tags/{id}/feed", forGuests, feedTag},
	{"GET", "/guest/users/{name}", forGuests, (*visit).showGuestUser},
	{"GET", "/guest/search", forGuests, (*visit).showGuestSearch},

	// Addresses of LinkAce that have moved.
	{"GET", "/dashboard", forUsers, redirectTo("/links")},
	{"GET", "/search", forUsers, redirectTo("/links")},
	{"GET", "/users/{name}", forUsers, (*visit).redirectToUser},
	{"GET", "/export", forUsers, redirectTo("/settings/data")},
	{"GET", "/bookmarklet/login", anyone, redirectTo("/signin")},
	{"GET", "/settings/system", forAdmins, redirectTo("/settings/server")},
	{"GET", "/system/users/{id}", forAdmins, redirectTo("/settings/people")},
	{"GET", "/system/users/{id}/edit", forAdmins, redirectTo("/settings/people")},
	{"GET", "/system/api-tokens", forAdmins, redirectTo("/settings/people")},
	{"GET", "/system/logs", forAdmins, redirectTo("/settings/server")},
	{"GET", "/system/audit", forAdmins, redirectTo("/settings/server")},

	{"GET", "/manifest.webmanifest", sameForAll, sendManifest},
	{"GET", "/opensearch.xml", sameForAll, sendOpenSearch},
	{"GET", "/robots.txt", sameForAll, sendRobots},
	{"GET", "/favicon.svg", sameForAll, sendFile("favicon.svg")},
	{"GET", "/favicon.ico", sameForAll, sendFile("icon-192.png")},
	{"GET", "/apple-touch-icon.png", sameForAll, sendFile("apple-touch-icon.png")},
	{"GET", "/apple-touch-icon-precomposed.png", sameForAll, sendFile("apple-touch-icon.png")},
}

// redirectTo returns the handler of an address that has moved. The query is kept.
func redirectTo(path string) func(*visit) error {
	return func(v *visit) error { return v.redirect(joinQuery(path, v.r.URL.RawQuery)) }
}

// redirectToUser leads to the links of a user.
func (v *visit) redirectToUser() error {
	return v.redirect("/links?" + queryOf("by", v.pathValue("name")))
}
