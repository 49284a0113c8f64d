package api

import "testing"

func TestSettingsRejectInvalidValues(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	before := ann.get(t, "/settings").ok(t).body
	ann.patch(t, "/settings", `{"language":"no language","time_zone":"Nowhere","theme":"pink","view":"rows","links_per_page":7,"snapshots":"all"}`).wantFieldErrors(t,
		"language: The selected language is invalid.", "links_per_page: The selected links per page is invalid.",
		"snapshots: The selected snapshots is invalid.", "theme: The selected theme is invalid.", "time_zone: The selected time zone is invalid.", "view: The selected view is invalid.")
	ann.patch(t, "/settings", `{"links_per_page":0}`).wantFieldErrors(t, "links_per_page: The selected links per page is invalid.")
	ann.patch(t, "/settings", `{"language":7,"links_per_page":"many","new_tab":"perhaps","tag_visibility":4}`).wantFieldErrors(t,
		"language: The language must be a string.", "links_per_page: The links per page must be a number.",
		"new_tab: The new tab field must be true or false.", "tag_visibility: The selected tag visibility is invalid.")
	ann.patch(t, "/settings", `{"language":7,"links_per_page":7,"theme":"pink","new_tab":"perhaps","time_zone":"Europe/Berlin"}`).wantFieldErrors(t,
		"language: The language must be a string.", "links_per_page: The selected links per page is invalid.",
		"new_tab: The new tab field must be true or false.", "theme: The selected theme is invalid.")
	ann.patch(t, "/settings", `["a"]`).wantError(t, 400, "The body is malformed: it must be a JSON object.")
	if got := ann.get(t, "/settings").ok(t).body; got != before {
		t.Errorf("got %s, want unchanged settings %s", got, before)
	}
}

func TestNewEntitiesGetTheVisibilityOfTheSettings(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.patch(t, "/settings", `{"link_visibility":2,"tag_visibility":1,"time_zone":"Europe/Berlin"}`).
		wantValue(t, "link_visibility list_visibility tag_visibility time_zone", `[2,3,1,"Europe/Berlin"]`)
	ann.patch(t, "/settings", `{"time_zone":""}`).wantValue(t, "time_zone link_visibility", `["",2]`)
	ann.post(t, "/links", `{"url":"https://go.dev/","tags":["go"]}`).wantValue(t, "visibility tags.0.visibility", `[2,1]`)
	ben.get(t, "/settings").wantValue(t, "link_visibility", `3`)
}
