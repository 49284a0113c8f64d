package api

import (
	"net/url"
	"strconv"
	"testing"
)

func TestSearchesThatFindLittleAreGivenOthers(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://a.example/","title":"Kubernetes ingress","tags":["Essential Next.js"]}`)
	ann.link(t, `{"url":"https://b.example/","title":"Essential Next.js","description":"library","visibility":1}`)
	ben.link(t, `{"url":"https://c.example/","title":"Zanzibar","visibility":3}`)
	for q, want := range map[string]string{
		"kubernets+ingress":          `[{"q":"kubernetes ingress","total":1}]`,
		"kubrenetes":                 `[{"q":"kubernetes","total":1}]`,
		"libraries":                  `[{"q":"library","total":1}]`,
		"essentialnextjs":            `[{"q":"essential next js","total":2}]`,
		"kubernetes+tutorial":        `[{"q":"kubernetes","total":1}]`,
		"kubernetes+is:archived":     `[{"q":"kubernetes","total":1}]`,
		"%23kuber":                   `[]`,
		"zanzibra":                   `[]`,
		"xyzzy":                      `[]`,
		"(kubernets+OR+kubernetess)": `[]`,
	} {
		ann.get(t, "/search/links?instead=1&per_page=1&q="+q).wantValue(t, "instead", want)
	}
	ben.get(t, "/search/links?instead=1&q=zanzibra").wantValue(t, "instead", `[{"q":"zanzibar","total":1}]`)
	ben.get(t, "/search/links?instead=1&q=kubernets").wantValue(t, "instead", `[]`)
	ben.get(t, "/search/links?instead=1&q=%23esential").wantValue(t, "instead", `[]`)
}

// Each pair of words stands somewhere, but no link has all three: whole words count more than parts of others, and each
// offer leaves out another word.
func TestEachOfferLeavesOutAnotherWord(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for i, title := range []string{"Python tutorial", "Python tutorials", "Python howtos", "Tutorial: howtoons", "Howto", "Pythonic", "Tutorial"} {
		ann.link(t, `{"url":"https://`+strconv.Itoa(i)+`.example/","title":"`+title+`"}`)
	}
	ann.get(t, "/search/links?instead=1&q=python+tutorial+howto").wantValue(t, "instead",
		`[{"q":"python tutorial","total":2},{"q":"python howto","total":1},{"q":"tutorial howto","total":1}]`)
}

func TestTextOfManyLinksIsMeantMoreProbably(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for i := range 50 {
		title := "Something else"
		if i < 9 {
			title = "Kubernetes"
		}
		ann.link(t, `{"url":"https://`+strconv.Itoa(i)+`.example/","title":"`+title+`"}`)
	}
	ann.link(t, `{"url":"https://x.example/","title":"Angres"}`)
	if got := ann.get(t, "/search/links?instead=1&q=kubernets+ingres").value(t, "instead.0.q"); got != `"kubernetes"` {
		t.Errorf("got %s first, want the word of nine links", got)
	}
}

func TestAccentsAreAWeakerMatch(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, title := range []string{"Cafe of a friend", "Café", "Ångström", "Angstrom"} {
		ann.link(t, `{"url":"https://example.org/`+url.PathEscape(url.QueryEscape(title))+`","title":"`+title+`"}`)
	}
	for q, want := range map[string][2]string{
		"cafe":     {"Cafe of a friend", "Café"},
		"CAFÉ":     {"Café", "Cafe of a friend"},
		"angstrom": {"Angstrom", "Ångström"},
		"ångström": {"Ångström", "Angstrom"},
	} {
		found := ann.get(t, "/search/links?q="+url.QueryEscape(q))
		found.wantValue(t, "total", "2")
		found.wantValue(t, "data.0.title", `"`+want[0]+`"`)
		found.wantValue(t, "data.1.title", `"`+want[1]+`"`)
	}
}
