package linkding

import (
	"cmp"
	"errors"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

// bundleJSON is a bundle in responses.
type bundleJSON struct {
	ID           waymark.BundleID    `json:"id"`
	Name         string              `json:"name"`
	Search       string              `json:"search"`
	AnyTags      string              `json:"any_tags"`
	AllTags      string              `json:"all_tags"`
	ExcludedTags string              `json:"excluded_tags"`
	FilterUnread waymark.FilterState `json:"filter_unread"`
	FilterShared waymark.FilterState `json:"filter_shared"`
	Order        int64               `json:"order"`
	DateCreated  string              `json:"date_created"`
	DateModified string              `json:"date_modified"`
}

func newBundleJSON(b waymark.Bundle) bundleJSON {
	return bundleJSON{
		b.ID, b.Name, b.Search, b.AnyTags, b.AllTags, b.ExcludedTags, b.Unread, b.Shared, b.Position,
		timeText(b.CreatedAt), timeText(b.UpdatedAt),
	}
}

func (a *API) listBundles(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	all, err := a.Store.Accounts.Bundles(r.Context(), user.ID)
	if err != nil {
		return err
	}
	return writePart(a.newPageWriter(w, r), all, newBundleJSON)
}

func (a *API) getBundle(w http.ResponseWriter, _ *http.Request, _ waymark.User, bundle waymark.Bundle) error {
	return httpx.WriteJSON(w, http.StatusOK, newBundleJSON(bundle))
}

// ownBundle returns the user's own bundle with the id in the path.
func (a *API) ownBundle(r *http.Request, user waymark.User) (waymark.Bundle, error) {
	id, err := rest.PathID[waymark.BundleID](r, "id")
	if err != nil {
		return waymark.Bundle{}, err
	}
	bundle, err := a.Store.Accounts.Bundle(r.Context(), user.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		err = errNoBundle
	}
	return bundle, err
}

// addBundle adds a bundle, after all others unless the request says where.
func (a *API) addBundle(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	edit, err := a.readBundle(w, r, false)
	if err != nil {
		return err
	}
	bundle := waymark.Bundle{Owner: user.ID, Unread: waymark.FilterOff, Shared: waymark.FilterOff}
	edit.apply(&bundle)
	if bundle, err = a.Store.Accounts.CreateBundle(r.Context(), bundle, edit.Position.value == nil); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, newBundleJSON(bundle))
}

// editBundle returns the handler that changes the fields of a bundle that the request has. The name is
// required unless the change is partial.
func editBundle(partial bool) func(*API, http.ResponseWriter, *http.Request, waymark.User, waymark.Bundle) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, bundle waymark.Bundle) error {
		edit, err := a.readBundle(w, r, partial)
		if err != nil {
			return err
		}
		if bundle, err = a.Store.Accounts.ChangeBundle(r.Context(), user.ID, bundle.ID, edit.apply); err != nil {
			return err
		}
		return httpx.WriteJSON(w, http.StatusOK, newBundleJSON(bundle))
	}
}

func (a *API) deleteBundle(w http.ResponseWriter, r *http.Request, user waymark.User, bundle waymark.Bundle) error {
	return writeNothing(w, a.Store.Accounts.DeleteBundle(r.Context(), user.ID, bundle.ID))
}

// bundleFields are the fields of a bundle in requests.
type bundleFields struct {
	Name         text        `json:"name"`
	Search       text        `json:"search"`
	AnyTags      text        `json:"any_tags"`
	AllTags      text        `json:"all_tags"`
	ExcludedTags text        `json:"excluded_tags"`
	Unread       filterState `json:"filter_unread"`
	Shared       filterState `json:"filter_shared"`
	Position     integer     `json:"order"`
}

// readBundle decodes a bundle. The name is required unless the change is partial.
func (a *API) readBundle(w http.ResponseWriter, r *http.Request, partial bool) (*bundleFields, error) {
	var f bundleFields
	invalid, err := a.readBody(w, r, &f)
	if err != nil {
		return nil, err
	}
	f.Name.check("name", textRules{required: true, partial: partial, limit: waymark.MaxBundleName}, &invalid)
	f.Search.check("search", textRules{limit: waymark.MaxBundleName}, &invalid)
	tags := textRules{limit: waymark.MaxBundleTags}
	f.AnyTags.check("any_tags", tags, &invalid)
	f.AllTags.check("all_tags", tags, &invalid)
	f.ExcludedTags.check("excluded_tags", tags, &invalid)
	return &f, invalid.err()
}

// apply sets the fields of a bundle that were sent.
func (f *bundleFields) apply(b *waymark.Bundle) {
	b.Name, b.Search = *cmp.Or(f.Name.value, &b.Name), *cmp.Or(f.Search.value, &b.Search)
	b.AnyTags, b.AllTags, b.ExcludedTags = *cmp.Or(f.AnyTags.value, &b.AnyTags), *cmp.Or(f.AllTags.value, &b.AllTags), *cmp.Or(f.ExcludedTags.value, &b.ExcludedTags)
	b.Unread, b.Shared = *cmp.Or(f.Unread.value, &b.Unread), *cmp.Or(f.Shared.value, &b.Shared)
	b.Position = *cmp.Or(f.Position.value, &b.Position)
}
