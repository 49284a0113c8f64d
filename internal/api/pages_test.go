package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// fill adds n tags, t1 to tn, in one request.
func (p *testClient) fill(t testing.TB, n int) {
	t.Helper()
	models := make([]string, n)
	for i := range models {
		models[i] = `{"name":"t` + strconv.Itoa(i+1) + `"}`
	}
	p.post(t, "/bulk/tags", `{"models":[`+strings.Join(models, ",")+`]}`).ok(t)
}

func TestPageFields(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.fill(t, 50)
	for _, test := range []struct {
		name, query                                      string
		page, size, from, to, last, previous, next, have string
	}{
		{"first page", "", "1", "24", "1", "24", "3", "null", "2", "24"},
		{"second page", "page=2", "2", "24", "25", "48", "3", "1", "3", "24"},
		{"last page", "page=3", "3", "24", "49", "50", "3", "2", "null", "2"},
		{"beyond the last page", "page=4", "4", "24", "0", "0", "3", "3", "null", "0"},
		{"page is not a number", "page=two", "1", "24", "1", "24", "3", "null", "2", "24"},
		{"page out of range", "page=99999999999999999999", "9223372036854775807", "24", "0", "0", "3", "3", "null", "0"},
		{"ten", "per_page=10&page=5", "5", "10", "41", "50", "5", "4", "null", "10"},
		{"size exceeds the total", "per_page=1000", "1", "1000", "1", "50", "1", "null", "null", "50"},
		{"everything", "per_page=-1", "1", "-1", "1", "50", "1", "null", "null", "50"},
		{"beyond everything", "per_page=-1&page=2", "2", "-1", "0", "0", "1", "1", "null", "0"},
		{"empty size", "per_page=", "1", "24", "1", "24", "3", "null", "2", "24"},
		{"more than the largest size", "per_page=99999999999999999999", "1", "9223372036854775807", "1", "50", "1", "null", "null", "50"},
		{"the largest size", "per_page=9223372036854775807", "1", "9223372036854775807", "1", "50", "1", "null", "null", "50"},
		{"half of the largest size", "per_page=4611686018427387904&page=3", "3", "4611686018427387904", "0", "0", "1", "1", "null", "0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ann.get(t, "/tags?"+test.query).ok(t)
			got.wantValue(t, "current_page per_page from to last_page total",
				fmt.Sprintf(`[%s,"%s",%s,%s,%s,50]`, test.page, test.size, test.from, test.to, test.last))
			var page struct{ Data []json.RawMessage }
			check(t, json.Unmarshal([]byte(got.body), &page))
			if have := strconv.Itoa(len(page.Data)); have != test.have {
				t.Errorf("got %s entities, want %s", have, test.have)
			}
			base := s.baseURL + "/api/" + s.version + "/tags"
			perPage := ""
			if sent, _ := url.ParseQuery(test.query); sent.Get("per_page") != "" {
				perPage = "per_page=" + test.size + "&"
			}
			pageURL := func(page string) string {
				if page == "null" {
					return "null"
				}
				return `"` + base + "?" + perPage + "page=" + page + `"`
			}
			got.wantValue(t, "path first_page_url last_page_url prev_page_url next_page_url",
				`["`+base+`",`+pageURL("1")+`,`+pageURL(test.last)+`,`+pageURL(test.previous)+`,`+pageURL(test.next)+`]`)
		})
	}
}

func TestPageLinksHaveGaps(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.fill(t, 40)
	for query, want := range map[string]string{
		"per_page=40&page=1": "1",
		"per_page=4&page=3":  "1 2 3 4 5 6 7 8 9 10",
		"per_page=3&page=7":  "1 2 3 4 5 6 7 8 9 10 ... 13 14",
		"per_page=3&page=8":  "1 2 ... 5 6 7 8 9 10 11 12 13 14",
		"per_page=2&page=1":  "1 2 3 4 5 6 7 8 9 10 ... 19 20",
		"per_page=2&page=8":  "1 2 ... 5 6 7 8 9 10 11 ... 19 20",
		"per_page=2&page=14": "1 2 ... 11 12 13 14 15 16 17 18 19 20",
		"per_page=2&page=77": "1 2 ... 11 12 13 14 15 16 17 18 19 20",
		"per_page=1&page=20": "1 2 ... 17 18 19 20 21 22 23 ... 39 40",
	} {
		labels := slices.Concat([]string{"« Previous"}, strings.Fields(want), []string{"Next »"})
		ann.get(t, "/tags?"+query).ok(t).wantValue(t, "links.*.label", jsonOf(t, labels))
	}
	base := s.baseURL + "/api/v2/tags?per_page=15&page="
	got := ann.get(t, "/tags?per_page=15&page=2").ok(t)
	got.wantValue(t, "links.*.url links.*.active", jsonOf(t, []any{[]string{base + "1", base + "1", base + "2", base + "3", base + "3"}, []bool{false, false, true, false, false}}))
	ann.get(t, "/tags?per_page=4&page=8").ok(t).wantValue(t, "links.0.url links.11.url", jsonOf(t, []string{s.baseURL + "/api/v2/tags?per_page=4&page=7", s.baseURL + "/api/v2/tags?per_page=4&page=9"}))
	empty := ann.get(t, "/lists").ok(t)
	empty.wantValue(t, "data from to total last_page next_page_url links.*.label links.*.active links.0.url", `[[],0,0,0,1,null,["« Previous","1","Next »"],[false,true,false],null]`)
}

func TestPageURLsKeepTheOtherParameters(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.fill(t, 3)
	for i := range 3 {
		ann.link(t, `{"url":"https://`+strconv.Itoa(i)+`.example/ä","status":2,"lists":"a,b","tags":["t1","7"]}`)
	}
	token := "&api_token=" + ann.key + "&api_token=again&page=9"
	for path, want := range map[string]string{
		"/tags?page=2&per_page=1&order_by=name&x=%C3%A4+%26&x=2&y" + token: "order_by=name&per_page=1&x=%C3%A4+%26&x=2&y=",
		"/tags?per_page=+1&order_by=NAME&order_dir=Desc&query=a":           "order_by=NAME&order_dir=Desc&per_page=1&query=a",
		"/tags?per_page=all":                                                  "per_page=24",
		"/tags?per_page=-2":                                                   "per_page=24",
		"/tags?per_page=&order_by=":                                           "order_by=",
		"/tags?per_page=01":                                                   "per_page=1",
		"/tags?per_page=2&per_page=5":                                         "per_page=5",
		"/tags?page=2":                                                        "",
		"/lists/1/links?per_page=1&query=x":                                   "per_page=1&query=x",
		"/links/1/notes?per_page=1&order_by=id":                               "order_by=id&per_page=1",
		"/search/links?query=/a;b%&broken_only=no&%zz=%FF":                    "%25zz=%FF&broken_only=no&query=%2Fa%3Bb%25",
		"/search/links?only_lists[]=1&only_lists[]=b&list_mode=ALL":           "list_mode=ALL&only_lists%5B%5D=1&only_lists%5B%5D=b",
		"/search/links?only_tags=[1,%22t1%22]&exclude_tags=[%22null%22]":      "exclude_tags=%5B%22null%22%5D&only_tags=%5B1%2C%22t1%22%5D",
		"/search/links?query=a&search_content=yes&page=1&order_by=nonsense":   "order_by=nonsense&query=a&search_content=yes",
		"/search/links?check=Dead&visibility=03&private_only=on&empty_lists=": "check=Dead&empty_lists=&private_only=on&visibility=03",
	} {
		got := ann.get(t, path).ok(t)
		if strings.Contains(got.body, "wm_") || strings.Contains(got.body, "api_token") {
			t.Errorf("the response to %s contains the API key: %s", path, got.body)
		}
		plain, _, _ := strings.Cut(path, "?")
		if want != "" {
			want += "&"
		}
		plain = s.baseURL + "/api/" + s.version + plain
		got.wantValue(t, "path first_page_url", `["`+plain+`","`+plain+"?"+want+`page=1"]`)
	}
}

func TestPerPageIsANumberForLinkActor(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	s.client = http.DefaultClient // the document declares a string
	for agent, want := range map[string]string{"LinkActor": "24", "LinkActor/1 CFNetwork/1.0": "24", "linkactor": `"24"`, "Mozilla/5.0 LinkActor": `"24"`, "": `"24"`} {
		ann.call(t, "GET", "/links", "", "User-Agent: "+agent).ok(t).wantValue(t, "per_page", want)
	}
	ann.call(t, "GET", "/links?per_page=-1", "", "User-Agent: LinkActor").ok(t).wantValue(t, "per_page", "-1")
}

// The numbers come after the entities, some of which may have gone meanwhile.
func TestNumbersOfAPageSayWhatWasSent(t *testing.T) {
	a := &API{Options{Settings: config.Default().API, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}}
	for _, test := range []struct {
		page        pageRequest
		total, sent int
		want        string
	}{
		{pageRequest{number: 1, perPage: "-1"}, 5, 3, "1 3 3"},
		{pageRequest{number: 1, perPage: "-1"}, 5, 0, "0 0 0"},
		{pageRequest{number: 2, size: 5, perPage: "5"}, 12, 4, "6 9 12"},
		{pageRequest{number: 2, size: 5, perPage: "5"}, 12, 5, "6 10 12"},
		{pageRequest{number: 9, size: 5, perPage: "5"}, 12, 0, "0 0 12"},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/v2/tags", nil)
		err := writePage(a, w, r, queryParams(r), test.page, newTagJSON)(test.total, httpx.WithoutErrors(make([]waymark.Tag, test.sent)))
		var got struct {
			Data            []any
			From, To, Total int
		}
		if err := errors.Join(err, json.Unmarshal(w.Body.Bytes(), &got)); err != nil {
			t.Fatal(err)
		}
		if numbers := fmt.Sprint(got.From, got.To, got.Total); numbers != test.want || len(got.Data) != test.sent {
			t.Errorf("%d of %d: got %s, want %s", test.sent, test.total, numbers, test.want)
		}
	}
}

// tagsThatFail yields an error after that many tags.
func tagsThatFail(after int) iter.Seq2[waymark.Tag, error] {
	return func(yield func(waymark.Tag, error) bool) {
		for i := range after {
			if !yield(waymark.Tag{ID: waymark.TagID(i + 1), Owner: 1, Name: "a", Visibility: waymark.Private, CreatedAt: 1, UpdatedAt: 1}, nil) {
				return
			}
		}
		yield(waymark.Tag{}, errors.New("the disk is gone"))
	}
}

func TestResponseThatFailsMidwayIsAborted(t *testing.T) {
	a := &API{Options{Settings: config.Default().API, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}}
	for after, want := range map[int]string{0: "500", 10: "500", 5000: "cut"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			show := writePage(a, w, r, queryParams(r), pageRequest{number: 1, perPage: "-1"}, newTagJSON)
			if err := show(after+1, tagsThatFail(after)); err != nil {
				words := dialect(a.Log)
				words.WriteError(w, r, err)
			}
		}))
		t.Cleanup(server.Close)
		resp, err := server.Client().Get(server.URL + "/api/v2/tags")
		check(t, err)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		got := strconv.Itoa(resp.StatusCode)
		if err != nil {
			got = "cut"
		}
		if got != want || got == "500" && string(body) != `{"message":"Server Error"}` {
			t.Errorf("after %d entities: got %s (%v) %.100s, want %s", after, got, err, body, want)
		}
	}
}
