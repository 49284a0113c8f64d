package service_test

import (
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// TestMovesOfManyLinksToOnePlaceAreNotAccepted tests that links of a host keep their URLs if all their pages
// have become one.
func TestMovesOfManyLinksToOnePlaceAreNotAccepted(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *service.Service, s *store.Store) {
		const host = "https://a.example/"
		ada := storetest.User(t, s, "ada")
		for from, to := range map[string]string{"1": "all#1", "2": "all#2", "3": "all", "old": "new"} {
			link := addLinks(t, svc, ada, waymark.LinkInput{URL: host + from})[0]
			claimed, err := s.Queue.ClaimLinkCheck(t.Context(), link.ID, s.Now())
			check(t, err)
			found := waymark.LastCheck{Check: waymark.Check{At: s.Now(), Result: waymark.CheckMoved, Code: 200}, Reason: "redirect", NewURL: host + to}
			if _, err := s.Queue.AddCheck(t.Context(), claimed, found); err != nil {
				t.Fatal(err)
			}
		}
		hosts, err := s.MovedHosts(t.Context(), ada.ID)
		if err != nil || len(hosts) != 1 || hosts[0].Links != 1 || hosts[0].To != host+"new" {
			t.Errorf("got %+v, %v, want the one real move", hosts, err)
		}
		if accepted, err := svc.AcceptMoves(t.Context(), ada, waymark.Host(host), 10); err != nil || accepted.Changed != 1 {
			t.Errorf("got %+v, %v, want one accepted move", accepted, err)
		}
	})
}
