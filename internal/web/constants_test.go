package web

import (
	"testing"

	"waymark/internal/config"
	"waymark/internal/store/storetest"
)

func TestConstantsOfTemplatesAreReplaced(t *testing.T) {
	settings := config.Default().API
	if err := settings.BaseURL.UnmarshalText([]byte("https://links.example/base")); err != nil {
		t.Fatal(err)
	}
	s := newTestSite(t, storetest.Open(t), settings).site
	icon := string(icon("link"))
	for source, want := range map[string]string{
		`<a href="{{url "/links"}}">{{t "shell.links"}}</a>`: `<a href="/base/links">Links</a>`,
		`{{icon "link"}}`:                                                       icon,
		`"{{url (print "/links/" .ID)}}"`:                                       `"/base/links/{{.ID}}"`,
		`"{{url (print "/links/" .ID "/edit")}}"`:                               `"/base/links/{{.ID}}/edit"`,
		`"{{url (print "/undo/" $.Toast.Undo)}}"`:                               `"/base/undo/{{$.Toast.Undo}}"`,
		`{{url .Address}}`:                                                      `{{url .Address}}`,
		`{{url (print "/guest/users/" (pathEscape .))}}`:                        `{{url (print "/guest/users/" (pathEscape .))}}`,
		`{{t .Key}} {{icon .Icon}} {{t "links.found" "n" .Total}}`:              `{{t .Key}} {{icon .Icon}} {{t "links.found" "n" .Total}}`,
		`{{t "links.details" "title" .Title "time" $row.Saved.Full}}`:           `Details of {{.Title}}, saved {{$row.Saved.Full}}`,
		`{{if .Sidebar}}{{t "guest.nothing"}}{{else}}{{url "/a?b=1&c"}}{{end}}`: `{{if .Sidebar}}There is nothing public yet.{{else}}/base/a?b=1&amp;c{{end}}`,
	} {
		if got := s.replaceConstants(source, s.languages.all[0]); got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}
