package linkace

import (
	"testing"

	"waymark/internal/waymark"
)

func TestLinkHealthHasTheLastVisits(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		ann.link(t, `{"url":"https://gone.example/","visibility":3}`)
		times := ann.get(t, "/links/1").value(t, "created_at updated_at")
		claimed, err := s.store.ClaimLinkCheck(t.Context(), 1, 2e15)
		if err != nil {
			t.Fatal(err)
		}
		for _, visit := range []waymark.VisitResult{
			{Visit: waymark.Visit{At: 1e15, Verdict: waymark.VerdictMoved, Code: 200}, Reason: "redirect", Address: "https://new.example/"},
			{Visit: waymark.Visit{At: 1001e12, Verdict: waymark.VerdictDead}, Reason: "no_such_host"},
			{Visit: waymark.Visit{At: 1002e12, Verdict: waymark.VerdictDead, Code: 404}, Reason: "status"},
		} {
			if _, err := s.store.AddVisit(t.Context(), claimed, visit); err != nil {
				t.Fatal(err)
			}
		}
		health := ann.get(t, "/links/1/health").ok(t)
		health.wantValue(t, "verdict reason code new_url dead_days", `["dead","status",404,null,2]`)
		health.wantValue(t, "checked_at next_check_at", `["2001-10-02T05:20:00.000000Z","2001-10-05T05:20:00.000000Z"]`)
		health.wantValue(t, "visits.*.verdict visits.*.code visits.0.at", `[["moved","dead","dead"],[200,null,404],"2001-09-09T01:46:40.000000Z"]`)
		for query, want := range map[string]string{
			"health=dead": "[1]", "health=DEAD&query=gone": "[1]", "health=moved": "[]", "health=&query=gone": "[1]", "health=ok&query=gone": "[]",
		} {
			ann.get(t, "/search/links?"+query).wantValue(t, "data.*.id", want)
		}
		ben.get(t, "/search/links?health=dead").wantValue(t, "total", "0")
		ann.get(t, "/search/links?health=ill&query=a").wantFieldErrors(t, "health: The selected health is invalid.")
		link := ann.get(t, "/links/1")
		link.wantValue(t, "status", `2`)
		link.wantValue(t, "created_at updated_at", times)
		ben.get(t, "/links/1/health").wantError(t, 403, "This action is unauthorized.")
		ann.get(t, "/links/2/health").wantError(t, 404, "Not found.")

		ann.patch(t, "/links/1", `{"url":"https://gone.example/","check_disabled":true}`).ok(t)
		ann.get(t, "/links/1/health").wantValue(t, "verdict next_check_at", `["dead",null]`)
		ann.patch(t, "/links/1", `{"url":"https://new.example/"}`).ok(t)
		ann.get(t, "/links/1/health").wantValue(t, "verdict new_url dead_days visits", `[null,null,0,[]]`)
		ann.get(t, "/search/links?health=dead").wantValue(t, "total", "0")
	})
}
