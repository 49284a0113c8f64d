package linkding

import (
	"cmp"
	"errors"
	"net/http"

	"waymark/internal/httpx"
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
	id, err := pathID[waymark.BundleID](r, "id")
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
	body, err := a.readFields(w, r)
	if err != nil {
		return err
	}
	d := decoder{fields: body}
	edit := d.bundle()
	if err := d.errors.err(); err != nil {
		return err
	}
	bundle := waymark.Bundle{Owner: user.ID, Unread: waymark.FilterOff, Shared: waymark.FilterOff}
	edit.apply(&bundle)
	if bundle, err = a.Store.Accounts.CreateBundle(r.Context(), bundle, edit.position == nil); err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, newBundleJSON(bundle))
}

// editBundle returns the handler that changes the fields of a bundle that the request has. The name is
// required unless the change is partial.
func editBundle(partial bool) func(*API, http.ResponseWriter, *http.Request, waymark.User, waymark.Bundle) error {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, bundle waymark.Bundle) error {
		body, err := a.readFields(w, r)
		if err != nil {
			return err
		}
		d := decoder{fields: body, partial: partial}
		edit := d.bundle()
		if err := d.errors.err(); err != nil {
			return err
		}
		if bundle, err = a.Store.Accounts.ChangeBundle(r.Context(), user.ID, bundle.ID, edit.apply); err != nil {
			return err
		}
		return httpx.WriteJSON(w, http.StatusOK, newBundleJSON(bundle))
	}
}

func (a *API) deleteBundle(w http.ResponseWriter, r *http.Request, user waymark.User, bundle waymark.Bundle) error {
	if err := a.Store.Accounts.DeleteBundle(r.Context(), user.ID, bundle.ID); err != nil {
		return err
	}
	return writeNothing(w)
}

// bundleEdit has the fields of a bundle that a request sets, nil for the others.
type bundleEdit struct {
	name, search, anyTags, allTags, excludedTags, unread, shared *string
	position                                                     *int64
}

// bundle decodes the fields of a bundle.
func (d *decoder) bundle() bundleEdit {
	tags := textRules{limit: waymark.MaxBundleTags}
	states := []string{string(waymark.FilterOff), string(waymark.FilterYes), string(waymark.FilterNo)}
	return bundleEdit{
		name: d.text("name", textRules{required: true, limit: waymark.MaxBundleName}), search: d.text("search", textRules{limit: waymark.MaxBundleName}),
		anyTags: d.text("any_tags", tags), allTags: d.text("all_tags", tags), excludedTags: d.text("excluded_tags", tags),
		unread: d.choice("filter_unread", states...), shared: d.choice("filter_shared", states...), position: d.integer("order"),
	}
}

// apply sets the fields of a bundle.
func (e bundleEdit) apply(b *waymark.Bundle) {
	b.Name, b.Search = *cmp.Or(e.name, &b.Name), *cmp.Or(e.search, &b.Search)
	b.AnyTags, b.AllTags, b.ExcludedTags = *cmp.Or(e.anyTags, &b.AnyTags), *cmp.Or(e.allTags, &b.AllTags), *cmp.Or(e.excludedTags, &b.ExcludedTags)
	b.Unread = waymark.FilterState(*cmp.Or(e.unread, (*string)(&b.Unread)))
	b.Shared = waymark.FilterState(*cmp.Or(e.shared, (*string)(&b.Shared)))
	b.Position = *cmp.Or(e.position, &b.Position)
}
