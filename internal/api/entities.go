package api

import (
	"context"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// The functions in this file return the handlers of operations that are the same for several kinds of
// entities. encode returns what encoding/json encodes for one: see writePage.

func addEntity[B any, F fieldsOf[B, In], In, T, J any](add func(*service.Service, context.Context, waymark.User, In) (T, error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		var body B
		wrong := a.readBody(w, r, httpx.UserBody, &body)
		var entity T
		err := a.change(r, user, wrong, fieldPath, func(ctx context.Context, s *service.Service) (err error) {
			entity, err = add(s, ctx, user, F(&body).input())
			return err
		})
		return writeEntity(a, w, r, &entity, encode, err)
	}
}

// withID returns the handler that calls handle with the id in the path. It returns waymark.ErrNotFound if that is not
// a valid id.
func withID[ID waymark.ID](handle func(*API, http.ResponseWriter, *http.Request, waymark.User, ID) error) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		id, err := rest.ParseID[ID](r.PathValue("id"))
		if err != nil {
			return err
		}
		return handle(a, w, r, user, id)
	}
}

// finder is a method of the store that returns an entity that viewer sees.
type finder[ID waymark.ID, T any] func(s *store.Store, ctx context.Context, viewer waymark.UserID, id ID) (T, error)

func getEntity[ID waymark.ID, T, J any](find finder[ID, T], encode func(string, *T) J) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id ID) error {
		entity, err := find(a.Store, r.Context(), user.ID, id)
		return writeEntity(a, w, r, &entity, encode, err)
	})
}

// editEntity changes an entity and writes it.
func editEntity[B any, F fieldsOf[B, In], ID waymark.ID, In, T, J any](edit func(*service.Service, context.Context, waymark.User, ID, In) (T, error), encode func(string, *T) J) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id ID) error {
		var body B
		wrong := a.readBody(w, r, httpx.UserBody, &body)
		var entity T
		err := a.change(r, user, wrong, fieldPath, func(ctx context.Context, s *service.Service) (err error) {
			entity, err = edit(s, ctx, user, id, F(&body).input())
			return err
		})
		return writeEntity(a, w, r, &entity, encode, err)
	})
}

// mergeEntities merges the lists or tags in the body into another one, and writes that. It is no part of LinkAce's API.
func mergeEntities[ID waymark.ID, T, J any](find finder[ID, T], merge func(*service.Service, context.Context, waymark.User, ID, []ID) (int, error), encode func(string, *T) J) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id ID) error {
		entity, err := find(a.Store, r.Context(), user.ID, id)
		if err != nil {
			return err
		}
		ids, err := a.readIDs(w, r)
		if err != nil {
			return err
		}
		others := waymark.Map(ids, func(id int64) ID { return ID(id) })
		_, err = merge(a.Service, r.Context(), user, id, others)
		return writeEntity(a, w, r, &entity, encode, err)
	})
}

// deleteEntity moves the entity with the id in the path into the trash, and writes an empty response.
func deleteEntity[ID waymark.ID](kind waymark.EntityKind) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id ID) error {
		return writeEmpty(w, a.Service.Delete(r.Context(), user, kind, int64(id)))
	})
}

// removeLink removes the link with the link_id in the path from the list or tag with the id in the path.
func removeLink[ID waymark.ID](remove func(*service.Service, context.Context, waymark.User, ID, waymark.LinkID) error) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id ID) error {
		link, err := rest.ParseID[waymark.LinkID](r.PathValue("link_id"))
		if err == nil {
			err = remove(a.Service, r.Context(), user, id, link)
		}
		return writeEmpty(w, err)
	})
}

// listTrash lists entities in the user's trash.
func listTrash[T, J any](list func(*store.Store, waymark.UserID) store.Listing[T], encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		return list(a.Store, user.ID).Stream(r.Context(), writeArray(a, w, r, encode))
	}
}
