package api

import (
	"strings"
	"testing"
)

func TestSeenAtIsSetByItsOperationAlone(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://a.example","visibility":1}`)
	ann.post(t, "/links", `{"url":"https://b.example","visibility":1,"seen_at":"2020-01-01T00:00:00.000000Z"}`).ok(t).wantValue(t, "seen_at", "null")
	updated := ann.get(t, "/links/1").ok(t).value(t, "updated_at")
	marked := ann.post(t, "/links/1/seen", "").ok(t)
	marked.wantValue(t, "updated_at", updated)
	seen := marked.value(t, "seen_at")
	if seen == "null" {
		t.Error("seen_at is null after the operation")
	}
	ann.get(t, "/links/1").ok(t).wantValue(t, "seen_at", seen)
	ben.get(t, "/links/1").ok(t).wantValue(t, "seen_at", "null")
	ben.post(t, "/links/1/seen", "").wantStatus(t, 403)
	ann.post(t, "/links/9/seen", "").wantStatus(t, 404)
	ann.get(t, "/search/links?q=seen:1d").ok(t).wantValue(t, "data.*.id", "[1]")
	ann.get(t, "/search/links?q=-seen:2y").ok(t).wantValue(t, "data.*.id", "[2]")
	ben.get(t, "/search/links?q=seen:1d").ok(t).wantValue(t, "data.*.id", "[]")
}

func TestRandomOrderFollowsTheSeed(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, url := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		ann.link(t, `{"url":"https://`+url+`.example","lists":"l","tags":"t"}`)
	}
	want := ann.get(t, "/links?order_by=random&seed=7").ok(t).value(t, "data.*.id")
	for _, path := range []string{"/links?order_dir=asc&", "/lists/1/links?", "/tags/1/links?", "/search/links?q=example&"} {
		ann.get(t, path+"order_by=random&seed=7").ok(t).wantValue(t, "data.*.id", want)
	}
	if next := ann.get(t, "/links?order_by=random&seed=7&per_page=2").ok(t).value(t, "next_page_url"); !strings.Contains(next, "seed=7") {
		t.Errorf("got the next page %s, want it with the seed", next)
	}
	if other := ann.get(t, "/links?order_by=random&seed=8").ok(t).value(t, "data.*.id"); other == want {
		t.Errorf("got %s with both seeds", other)
	}
}
