package store

import (
	"context"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// rankedWords returns the words by which waymark.BestMatch sorts the links that a filter selects. The
// viewer's own tags count whose name is a word, or is all words together.
func rankedWords(ctx context.Context, q database.Querier, viewer waymark.UserID, filter waymark.LinkFilter) ([]linkindex.Word, error) {
	var words []linkindex.Word
	var names []waymark.Ref
	for _, text := range waymark.Wanted(filter.Where) {
		if folded := waymark.Fold(text.Text); folded != "" && table.StorableText(folded) {
			words = append(words, linkindex.Word{Text: waymark.Plain(folded), Folded: folded})
			names = append(names, waymark.Ref{Name: folded})
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	whole := waymark.Map(names, func(name waymark.Ref) string { return name.Name })
	names = append(names, waymark.Ref{Name: strings.Join(whole, " ")})
	tags, err := resolve(ctx, q, &query.LinkTags, viewer, names)
	if err != nil {
		return nil, err
	}
	for i := range words {
		words[i].Tags = tags.ids([]waymark.Ref{names[i], names[len(words)]})
	}
	return words, nil
}
