package store_test

import "waymark/internal/waymark"

// where returns a filter in which names mean the viewer's own lists and tags, as in LinkAce's API.
func where(conditions ...waymark.Condition) waymark.LinkFilter {
	return waymark.LinkFilter{Where: waymark.And(conditions), OwnNames: true}
}

func inURL(text string) waymark.Contains { return waymark.Contains{Text: text, In: waymark.InURL} }

func inTitle(text string) waymark.Contains {
	return waymark.Contains{Text: text, In: waymark.InURL | waymark.InTitle}
}

func inTexts(text string) waymark.Contains { return waymark.Contains{Text: text, In: waymark.InTexts} }

func not(c waymark.Condition) waymark.Condition { return waymark.Not{Condition: c} }

func labeled(kind waymark.EntityKind, refs []waymark.Ref) waymark.Labeled {
	return waymark.Labeled{Kind: kind, Refs: refs}
}

func withAll(kind waymark.EntityKind, refs []waymark.Ref) waymark.Labeled {
	return waymark.Labeled{Kind: kind, Refs: refs, All: true}
}
