package settings

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// assistantName is the name of the keys that the page makes for assistants, with a number from the second one on.
const assistantName = "Assistant"

// assistantsView is the part of the page about assistants.
type assistantsView struct {
	URL   string
	Keys  []waymark.APIKey
	Syncs []SyncView // what each of the keys has changed within a day, all of it
	Made  *madeKey   // the key that was just made, or nil
}

func newAssistantsView(r *page.Request) (assistantsView, error) {
	v := assistantsView{URL: r.BaseURL() + "/mcp"}
	keys, err := r.Store.Accounts.APIKeys(r.Context(), r.User.ID)
	if err != nil {
		return v, err
	}
	v.Keys = slices.DeleteFunc(keys, func(key waymark.APIKey) bool { return !isAssistant(key.Name) })
	syncs, err := r.Store.Syncs(r.Context(), r.User.ID)
	for _, key := range v.Keys {
		all := SyncView{Name: key.Name}
		for _, sync := range slices.Backward(syncs) { // the first one is the latest
			if sync.APIKey != key.ID {
				continue
			}
			if all.Changes == 0 {
				all.Sync = sync
			} else {
				all.To, all.Changes = max(all.To, sync.To), all.Changes+sync.Changes
			}
		}
		if all.Changes > 0 {
			all.Last = r.Moment(all.To)
			v.Syncs = append(v.Syncs, all)
		}
	}
	return v, err
}

// isAssistant reports whether a key is one of those that the page makes.
func isAssistant(name string) bool {
	rest, ok := strings.CutPrefix(name, assistantName)
	_, err := strconv.Atoi(strings.TrimPrefix(rest, " "))
	return ok && (rest == "" || err == nil)
}
