package web

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// The cookies in which a browser remembers lists.
const (
	branchesCookie    = "waymark-branches"    // those whose sublists the sidebar shows
	withoutCookie     = "waymark-no-sublists" // those whose pages do not include the links of their sublists
	placesCookie      = "waymark-places"      // those into which others were moved
	maxRemembered     = 30                    // lists in each
	rememberedSeconds = 365 * 24 * 60 * 60
)

// rememberedLists returns the lists in a cookie.
func rememberedLists(r *page.Request, cookie string) []waymark.ListID {
	var ids []waymark.ListID
	for text := range strings.SplitSeq(r.CookieValue(cookie), ".") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && len(ids) < maxRemembered {
			ids = append(ids, waymark.ListID(id))
		}
	}
	return ids
}

// rememberList adds a list to a cookie, or removes it, and returns the lists in it.
func rememberList(r *page.Request, cookie string, list waymark.ListID, add bool) []waymark.ListID {
	ids := slices.DeleteFunc(rememberedLists(r, cookie), func(id waymark.ListID) bool { return id == list })
	if add {
		ids = append(ids, list)
	}
	var texts []string
	for _, id := range ids[max(0, len(ids)-maxRemembered):] {
		texts = append(texts, strconv.FormatInt(int64(id), 10))
	}
	r.SetCookie(cookie, strings.Join(texts, "."), rememberedSeconds)
	return ids
}
