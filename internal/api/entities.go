package api

import (
	"context"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// The functions in this file return the handlers of operations that are the same for several kinds of
// entities. decode returns the fields of an entity, and encode what encoding/json encodes for one: see writePage.

func addEntity[In, T, J any](decode func(*jsonBody) In, add func(*service.Service, context.Context, waymark.User, In) (T, error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		body := a.readBody(w, r, a.settings.BodyLimit)
		if body.malformed != nil {
			return body.malformed
		}
		entity, err := add(a.service, r.Context(), user, decode(body))
		if err != nil {
			return err
		}
		return writeEntity(a, w, r, &entity, encode)
	}
}

// editEntity changes the entity with the id in the path and writes it.
func editEntity[ID waymark.ID, In, T, J any](decode func(*jsonBody) In, edit func(*service.Service, context.Context, waymark.User, ID, In) (T, error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		id, err := pathID[ID](r)
		if err != nil {
			return err
		}
		body := a.readBody(w, r, a.settings.BodyLimit)
		entity, err := edit(a.service, r.Context(), user, id, decode(body))
		if err != nil {
			return err
		}
		return writeEntity(a, w, r, &entity, encode)
	}
}

// deleteEntity calls del with the id in the path, and writes an empty response.
func deleteEntity[ID waymark.ID](del func(*service.Service, context.Context, waymark.User, ID) error) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		id, err := pathID[ID](r)
		if err != nil {
			return err
		}
		if err := del(a.service, r.Context(), user, id); err != nil {
			return err
		}
		return writeEmpty(w)
	}
}

// removeLink removes the link with the link_id in the path from the list or tag with the id in the path.
func removeLink[ID waymark.ID](remove func(*service.Service, context.Context, waymark.User, ID, waymark.LinkID) error) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		link, err := namedPathID[waymark.LinkID](r, "link_id")
		if err != nil {
			return err
		}
		return deleteEntity(func(s *service.Service, ctx context.Context, user waymark.User, id ID) error {
			return remove(s, ctx, user, id, link)
		})(a, w, r, user)
	}
}

// listTrash lists entities in the user's trash.
func listTrash[T, J any](list func(*store.Store, waymark.UserID) store.Listing[T], encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		return list(a.store, user.ID).Stream(r.Context(), writeArray(a, w, r, encode))
	}
}
