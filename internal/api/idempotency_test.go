package api

import (
	"strconv"
	"strings"
	"testing"

	"waymark/internal/config"
)

// postOnce sends a POST request with an Idempotency-Key.
func (p *testClient) postOnce(t testing.TB, key, path, body string) response {
	t.Helper()
	return p.call(t, "POST", path, body, "Idempotency-Key: "+key)
}

func wantSameResponse(t *testing.T, got, want response) {
	t.Helper()
	if got.status != want.status || got.body != want.body || got.header.Get("Content-Type") != want.header.Get("Content-Type") {
		t.Errorf("%s again: got %d %s, want %d %s", got.call, got.status, got.body, want.status, want.body)
	}
}

func TestRequestWithTheSameIdempotencyKeyIsDoneOnce(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		link := ann.post(t, "/links", `{"url":"https://noted.example"}`).ok(t)
		for path, body := range map[string]string{
			"/links":          `{"url":"https://go.dev","tags":"one,two","lists":["three"]}`,
			"/lists":          `{"name":"A list"}`,
			"/tags":           `{"name":"A tag"}`,
			"/notes":          `{"link_id":` + link.value(t, "id") + `,"note":"A note"}`,
			"/bulk/links":     `{"models":[{"url":"https://a.example"},{"url":"https://b.example","tags":["four"]}]}`,
			"/bulk/lists":     `{"models":[{"name":"B"},{"name":"C"}]}`,
			"/bulk/tags":      `{"models":[{"name":"B"},{"name":"C"}]}`,
			"/saved-searches": `{"name":"A search","query":"query=a"}`,
		} {
			first := ann.postOnce(t, "key of "+path, path, body).ok(t)
			wantSameResponse(t, ann.postOnce(t, "key of "+path, path, body), first)
			wantSameResponse(t, ann.postOnce(t, `"key of `+path+`"`, path, body), first)
		}
		ann.get(t, "/links").wantValue(t, "total", "4")
		ann.get(t, "/lists").wantValue(t, "total", "4")
		ann.get(t, "/tags").wantValue(t, "total", "6")
		ann.get(t, "/links/"+link.value(t, "id")+"/notes").wantValue(t, "total", "1")
	})
}

func TestRepeatedRequestHasTheResponseOfTheFirst(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		list := ann.postOnce(t, "1", "/lists", `{"name":"Before"}`).ok(t)
		ann.patch(t, "/lists/"+list.value(t, "id"), `{"name":"After"}`).ok(t)
		wantSameResponse(t, ann.postOnce(t, "1", "/lists", `{"name":"Before"}`), list)

		tag := ann.post(t, "/tags", `{"name":"taken"}`).ok(t)
		taken := ann.postOnce(t, "2", "/tags", `{"name":"taken"}`).wantStatus(t, 422)
		ann.delete(t, "/tags/"+tag.value(t, "id"), "").ok(t)
		wantSameResponse(t, ann.postOnce(t, "2", "/tags", `{"name":"taken"}`), taken)
		ann.postOnce(t, "3", "/tags", `{"name":"taken"}`).ok(t)

		wantSameResponse(t, ann.postOnce(t, "4", "/notes", `{"note":"A note"}`), ann.postOnce(t, "4", "/notes", `{"note":"A note"}`).wantStatus(t, 422))
		bulk := `{"models":[{"url":"https://a.example"},{"url":"no url"}]}`
		wantSameResponse(t, ann.postOnce(t, "5", "/bulk/links", bulk), ann.postOnce(t, "5", "/bulk/links", bulk).wantStatus(t, 422))
	})
}

func TestResponseToABulkCreateWithoutModelsIsStored(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for i, body := range []string{`{"models":[]}`, `{"models":"x"}`} {
			key := strconv.Itoa(i)
			ann.postOnce(t, key, "/bulk/tags", body).wantStatus(t, 422)
			wantSameResponse(t, ann.postOnce(t, key, "/bulk/tags", body), ann.postOnce(t, key, "/bulk/tags", body))
			ann.postOnce(t, key, "/bulk/tags", `{"models":[{"name":"x"}]}`).wantError(t, 422, "The Idempotency-Key was sent with another request before: use a new key for each request.")
		}
		ann.get(t, "/tags").wantValue(t, "total", "0")
	})
}

func TestIdempotencyKeyBelongsToOneRequestOfOneUser(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		ann.postOnce(t, "1", "/lists", `{"name":"A"}`).ok(t)
		const reused = "The Idempotency-Key was sent with another request before: use a new key for each request."
		ann.postOnce(t, "1", "/lists", `{"name":"B"}`).wantError(t, 422, reused)
		ann.postOnce(t, "1", "/tags", `{"name":"A"}`).wantError(t, 422, reused)
		ben.postOnce(t, "1", "/lists", `{"name":"B"}`).ok(t).wantValue(t, "name", `"B"`)
		ann.get(t, "/lists").wantValue(t, "total", "1")
		ann.get(t, "/tags").wantValue(t, "total", "0")
	})
}

func TestInvalidIdempotencyKeysAreRejected(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, key := range []string{`""`, `"a`, `a"b`, `a\b`, "schlüssel", strings.Repeat("a", 256)} {
			if got := ann.postOnce(t, key, "/lists", `{"name":"A"}`); got.status != 400 || !strings.Contains(got.body, "of 1 to 255 printable ASCII characters") {
				t.Errorf("key %.20q: got %d %s, want 400", key, got.status, got.body)
			}
		}
		ann.call(t, "POST", "/lists", `{"name":"A"}`, "Idempotency-Key: a", "Idempotency-Key: b").wantStatus(t, 400)
		ann.get(t, "/lists").wantValue(t, "total", "0")
		ann.postOnce(t, strings.Repeat("a", 255), "/lists", `{"name":"A"}`).ok(t)
		// Other requests ignore it.
		ann.call(t, "GET", "/lists", "", `Idempotency-Key: ""`).ok(t)
		ann.call(t, "POST", "/bulk/check", `{"models":[1]}`, `Idempotency-Key: ""`).ok(t)
	})
}

func TestMalformedRequestDoesNotUseItsIdempotencyKey(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.postOnce(t, "1", "/lists", `{`).wantStatus(t, 400)
		ann.postOnce(t, "1", "/lists", `{"name":"A"}`).ok(t)
	})
}

func TestConcurrentRequestsWithOneIdempotencyKeyAreDoneOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for range 5 {
			key := s.uniqueName()
			statuses := concurrently(20, func(int) response { return ann.postOnce(t, key, "/lists", `{"name":"`+key+`"}`) })
			if statuses[200] == 0 || statuses[200]+statuses[409] != 20 {
				t.Errorf("got statuses %v, want 200 and 409", statuses)
			}
		}
		ann.get(t, "/lists").wantValue(t, "total", "5")
	})
}

func TestResponseThatIsTooLargeForItsIdempotencyKeyChangesNothing(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		models := `{"models":[` + strings.Repeat(`{"name":"A"},`, 20) + `{"name":"B"}]}`
		got := ann.postOnce(t, "1", "/bulk/lists", models)
		got.wantError(t, 422, "The response would be too large to be stored for the Idempotency-Key: add fewer entities at once, or send no key.")
		ann.get(t, "/lists").wantValue(t, "total", "0")
		ann.postOnce(t, "1", "/bulk/lists", `{"models":[{"name":"A"}]}`).ok(t)
		ann.post(t, "/bulk/lists", models).ok(t)
	}, func(c *config.API) { c.IdempotencyBytes = 2000 })
}

// The response to ann's request contains ben's list. When ben's list is no longer visible to
// ann, the request counts as carried out, but the response is gone.
func TestStoredResponseDoesNotOutliveWhatOthersShared(t *testing.T) {
	for name, hide := range map[string]func(t *testing.T, s *testServer, ben *testClient, list string){
		"made private": func(t *testing.T, _ *testServer, ben *testClient, list string) {
			ben.patch(t, "/lists/"+list, `{"name":"shared","visibility":3}`).ok(t)
		},
		"made private with others": func(t *testing.T, _ *testServer, ben *testClient, list string) {
			ben.patch(t, "/bulk/lists", `{"models":[`+list+`],"visibility":3}`).ok(t)
		},
		"deleted": func(t *testing.T, _ *testServer, ben *testClient, list string) {
			ben.delete(t, "/lists/"+list, "").ok(t)
		},
		"removed with the user": func(t *testing.T, s *testServer, _ *testClient, _ string) {
			if err := s.service.RemoveUser(t.Context(), "ben", ""); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, s *testServer) {
				ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
				list := ben.post(t, "/lists", `{"name":"shared","visibility":1}`).ok(t).value(t, "id")
				shared, own := `{"url":"https://a.example","lists":[`+list+`]}`, `{"url":"https://b.example"}`
				first := ann.postOnce(t, "1", "/links", shared).ok(t)
				second := ann.postOnce(t, "2", "/links", own).ok(t)
				wantSameResponse(t, ann.postOnce(t, "1", "/links", shared), first)
				hide(t, s, ben, list)
				ann.postOnce(t, "1", "/links", shared).wantError(t, 422, "The request with this Idempotency-Key was carried out before. Its response is no longer stored, because it contained a list or tag that is no longer visible to you.")
				wantSameResponse(t, ann.postOnce(t, "2", "/links", own), second)
				ann.get(t, "/links").wantValue(t, "total", "2")
			})
		})
	}
}
