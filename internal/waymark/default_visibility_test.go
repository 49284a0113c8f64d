package waymark

import (
	"strings"
	"testing"
)

func TestParseDefaultVisibility(t *testing.T) {
	for text, want := range map[string]DefaultVisibility{
		"public":                     {Public, Public, Public, Public},
		"links=public":               {Links: Public},
		"tags=internal,notes=public": {Tags: Internal, Notes: Public},
		"internal,lists=private":     {Internal, Private, Internal, Internal},
		"lists=private,internal":     {Internal, Internal, Internal, Internal},
		"links=public,links=private": {Links: Private},
		"links=public,lists=private,tags=internal,notes=public": {Public, Private, Internal, Public},
	} {
		got, err := ParseDefaultVisibility(strings.Split(text, ","))
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"secret":       `invalid visibility "secret": use public, internal or private`,
		"":             `invalid visibility "": use public, internal or private`,
		"links":        `invalid visibility "links": use public, internal or private`,
		"links=":       `invalid visibility "": use public, internal or private`,
		"links=3":      `invalid visibility "3": use public, internal or private`,
		"link=public":  `invalid kind "link": use links, lists, tags or notes`,
		"=public":      `invalid kind "": use links, lists, tags or notes`,
		"public,x=tag": `invalid visibility "tag": use public, internal or private`,
	} {
		if _, err := ParseDefaultVisibility(strings.Split(text, ",")); err == nil || err.Error() != want {
			t.Errorf("%q: got error %v, want %s", text, err, want)
		}
	}
}

func TestDefaultVisibilityString(t *testing.T) {
	for want, d := range map[string]DefaultVisibility{
		"internal": DefaultsTo(Internal),
		"links=public,lists=private,tags=private,notes=private": DefaultsTo(Private).Edit(DefaultVisibility{Links: Public}),
	} {
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, err := ParseDefaultVisibility(strings.Split(want, ",")); err != nil || got != d {
			t.Errorf("%s is parsed as %v, %v, want %v", want, got, err, d)
		}
	}
}
