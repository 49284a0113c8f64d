package waymark

import "testing"

func TestTitleWithoutVisibleCharacterIsTheDefaultTitle(t *testing.T) {
	for _, title := range []string{"", " \t", "\u200b", "\u2800 ", "\u00ad"} {
		link, err := NewLink(User{ID: 1, DefaultVisibility: DefaultsTo(Private)}, LinkInput{URL: "https://example.org/", Title: &title})
		if err != nil || link.Title != "example.org" || !link.FromPage.Has(TitleText) {
			t.Errorf("%q: got the title %q from the page %v, %v", title, link.Title, link.FromPage, err)
		}
		link.Title, link.FromPage = "Typed", 0
		if err := (LinkInput{URL: link.URL, Title: &title}).Apply(&link); err != nil || link.Title != "example.org" || !link.FromPage.Has(TitleText) {
			t.Errorf("%q: got the title %q after an edit, %v", title, link.Title, err)
		}
		if link.SetPageTexts(PageTexts{Title: title}); link.Title != "example.org" {
			t.Errorf("%q: got the title %q from a page", title, link.Title)
		}
		saved, _, ok := NewLinkImport(User{ID: 1, DefaultVisibility: DefaultsTo(Private)}, LinkImport{Link: Link{URL: link.URL, Title: title}}, 0, 1)
		if !ok || saved.Link.Title != "example.org" {
			t.Errorf("%q: got the title %q from an import", title, saved.Link.Title)
		}
	}
}
