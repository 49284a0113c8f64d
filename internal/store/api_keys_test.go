package store_test

import (
	"errors"
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestSaveAPIKeyUseKeepsTheLatestTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var ids []waymark.APIKeyID
		for _, name := range []string{"a", "b", "c"} {
			key, err := s.Accounts.CreateAPIKey(t.Context(), waymark.APIKey{Owner: ada.ID, Name: name, Access: waymark.AccessFull}, []byte(name))
			check(t, err)
			ids = append(ids, key.ID)
		}
		for _, used := range []map[waymark.APIKeyID]waymark.Time{
			{ids[0]: 1000, ids[1]: 2000, 999: 5},
			{ids[0]: 1500, ids[1]: 1999},
			{},
		} {
			check(t, s.Accounts.SaveAPIKeyUse(t.Context(), used))
		}
		keys, err := s.Accounts.APIKeys(t.Context(), ada.ID)
		check(t, err)
		got := map[string]waymark.Time{}
		for _, key := range keys {
			got[key.Name] = key.LastUsedAt
		}
		wantEqual(t, "times of last use", got, map[string]waymark.Time{"a": 1500, "b": 2000, "c": 0})
	})
}

func TestAPIKeysOfAUserAreLimited(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		add := func(owner waymark.User, name string) (waymark.APIKey, error) {
			return s.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: owner.ID, Name: name, Access: waymark.AccessFull}, []byte(owner.Name+name))
		}
		full := func(what string, err error) {
			t.Helper()
			var invalid *waymark.ValidationError
			if !errors.As(err, &invalid) || invalid.Problems[0] != (waymark.Problem{Field: waymark.FieldAPIKeys, Rule: waymark.RuleMaxCount, Limit: waymark.MaxAPIKeys}) {
				t.Errorf("%s: got error %v, want a ValidationError about the number of keys", what, err)
			}
		}
		first, err := add(ada, "first")
		check(t, err)
		for i := range waymark.MaxAPIKeys - 1 {
			_, err := add(ada, fmt.Sprint(i))
			check(t, err)
		}
		_, err = add(ada, "one too many")
		full("add", err)
		_, err = add(bob, "phone")
		check(t, err)
		check(t, s.Accounts.RevokeAPIKey(ctx, ada.ID, first.ID))
		_, err = add(ada, "in its place")
		check(t, err)
		full("restore", s.Accounts.RestoreAPIKey(ctx, ada.ID, first.ID))
		check(t, s.Accounts.DeleteAPIKey(ctx, ada.ID, "in its place"))
		check(t, s.Accounts.RestoreAPIKey(ctx, ada.ID, first.ID))
	})
}
