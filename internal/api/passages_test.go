package api

import (
	"strings"
	"testing"
)

func TestPassagesAreMarkedForOneself(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		ann.link(t, `{"url":"https://bread.example/","visibility":2}`)
		ann.link(t, `{"url":"https://secret.example/","visibility":3}`)
		s.saveSnapshot(t, ann, "1", "<p>Flour &amp; <b>water</b>, and time.</p><p>Salt, and time.</p>")
		ann.post(t, "/links/1/passages", `{"exact":" time.\nSalt ","note":"Two of four."}`).ok(t).
			wantValue(t, "id link_id exact prefix suffix note found", `[1,1,"time.\nSalt","Flour & water, and ",", and time.","Two of four.",true]`)
		ann.post(t, "/links/1/passages", `{"exact":"sugar","prefix":"and"}`).ok(t).wantValue(t, "id prefix suffix found", `[2,"and","",false]`)
		ann.post(t, "/links/1/passages", `{"exact":"& water"}`).ok(t).wantValue(t, "id found", `[3,true]`)
		ann.post(t, "/links/1/passages", `{"exact":"time. Salt"}`).ok(t).wantValue(t, "id", "4")
		ann.post(t, "/links/1/passages", `{"exact":"& water","note":"again"}`).ok(t).wantValue(t, "id note", `[3,""]`)
		ben.post(t, "/links/1/passages", `{"exact":"time","prefix":"Salt, and"}`).ok(t).wantValue(t, "id suffix found", `[5,".",true]`)
		ann.get(t, "/links/1/passages").ok(t).wantValue(t, "*.id", "[3,1,4,2]")
		ben.get(t, "/links/1/passages").ok(t).wantValue(t, "*.id", "[5]")

		for _, id := range []string{"1", "99"} { // of ann, and none
			ben.patch(t, "/links/1/passages/"+id, `{"note":"x"}`).wantError(t, 404, "Not found.")
			ben.delete(t, "/links/1/passages/"+id, "").wantError(t, 404, "Not found.")
		}
		ann.patch(t, "/links/2/passages/1", `{"note":"x"}`).wantError(t, 404, "Not found.") // of another link
		for _, got := range []response{ben.get(t, "/links/2/passages"), ben.post(t, "/links/2/passages", `{"exact":"a"}`), ben.delete(t, "/links/2/passages/1", "")} {
			got.wantError(t, 403, forbidden)
		}
		ann.post(t, "/links/9/passages", `{"exact":"a"}`).wantError(t, 404, "Not found.")

		ann.post(t, "/links/1/passages", `{"exact":" \u200b "}`).wantFieldErrors(t, "exact: The exact field is required.")
		ann.post(t, "/links/1/passages", `{"exact":"`+strings.Repeat("é", 5001)+`","prefix":"`+strings.Repeat("é", 33)+`"}`).
			wantFieldErrors(t, "exact: The exact must not be greater than 5000 characters.", "prefix: The prefix must not be greater than 32 characters.")
		ann.post(t, "/links/1/passages", `{"exact":"`+strings.Repeat("é", 5000)+`","suffix":"`+strings.Repeat("é", 32)+`"}`).ok(t)

		// A new text has some of them, and a passage is shown only while its link is.
		s.saveSnapshot(t, ann, "1", "<p>Sugar, and <i>time</i>. Salt. More sugar</p>")
		ann.get(t, "/links/1/passages").ok(t).wantValue(t, "0.id 0.found 4.found", "[1,true,false]")
		ann.delete(t, "/links/1", "").ok(t)
		ann.get(t, "/links/1/passages").wantError(t, 404, "Not found.")
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).ok(t)
		ben.get(t, "/links/1/passages").ok(t).wantValue(t, "*.id", "[5]")
		ann.delete(t, "/links/1/passages/1", "").ok(t)
		ann.get(t, "/links/1/passages").ok(t).wantValue(t, "0.id", "4")
	})
}
