package waymark

import (
	"fmt"
	"testing"
	"time"
)

func TestImportedNotesAreNotShownToMorePeopleThanTheirLink(t *testing.T) {
	for _, test := range []struct{ link, note, chosen, want Visibility }{
		{Private, 0, 0, Private},
		{Private, 0, Public, Private}, // a format without the visibility of notes
		{Private, Public, Public, Public},
		{Internal, 0, 0, Internal},
		{Public, 0, 0, Public},
		{Public, 0, Internal, Internal},
		{0, 0, Public, Public},
		{Public, Private, Public, Private},
	} {
		row := LinkImport{Link: Link{URL: "https://example.com/", Visibility: test.link}, Notes: []Note{{Text: "A note", Visibility: test.note}}}
		saved, problems, ok := NewLinkImport(User{ID: 1, DefaultVisibility: DefaultsTo(Public)}, row, test.chosen, 1)
		if !ok || len(problems) > 0 {
			t.Fatalf("got the problems %v, want none", problems)
		}
		if got := saved.Notes[0].Visibility; got != test.want {
			t.Errorf("%+v: got a note with the visibility %s on a link with %s", test, got, saved.Link.Visibility)
		}
	}
}

func TestManyNotesAreMergedInLinearTime(t *testing.T) {
	const notes = 100_000
	var links [2]LinkImport
	for i := range links {
		for n := range notes {
			links[i].Notes = append(links[i].Notes, Note{Text: fmt.Sprint(i, n)})
		}
	}
	began := time.Now()
	links[0].Merge(links[1])
	links[0].Merge(links[1])
	if len(links[0].Notes) != 2*notes {
		t.Errorf("got %d notes, want %d", len(links[0].Notes), 2*notes)
	}
	if took := time.Since(began); took > 20*time.Second { // 0.1 seconds, minutes if each note is compared with all others
		t.Errorf("took %s", took)
	}
}
