package bench

import "testing"

func TestSeparateUsersSeeTheirOwnLinksOnly(t *testing.T) {
	t.Setenv(databaseVariable, "")
	t.Cleanup(stopServers)
	s := startPlan(t, Plan{Links: 300, Users: 3, Tags: 5, Lists: 2, Separate: true})
	for i, key := range s.keys {
		if got := getPage(t, dialAs(t, s.address, key), "/api/v2/links").Total; got != 100 {
			t.Errorf("user %d sees %d links, want 100", i+1, got)
		}
	}
	if len(s.keys) != 3 {
		t.Errorf("got %d users, want 3", len(s.keys))
	}
}
