package waymark

import "cmp"

// LinkLimits limit the lists and tags of a link, and those that one change attaches to links, so
// that responses and write transactions stay small. A link that has more already can keep or lose
// them: it got the lists and tags of a removed user's link. A zero value means the default.
type LinkLimits struct {
	Lists int // the lists that a link is in, including those in the trash and private ones of other users; 0 for 50
	Tags  int // the tags of a link, including those in the trash and private ones of other users; 0 for 200
	// Pairs is the number of lists and tags that one change attaches, counted once for
	// each link; 0 for 100,000.
	Pairs int
}

// WithDefaults returns the limits without zero values.
func (l LinkLimits) WithDefaults() LinkLimits {
	return LinkLimits{cmp.Or(l.Lists, 50), cmp.Or(l.Tags, 200), cmp.Or(l.Pairs, 100_000)}
}

// CheckPairs returns a ValidationError if a change attaches too many lists and tags.
func (l LinkLimits) CheckPairs(pairs int) error {
	if pairs <= l.Pairs {
		return nil
	}
	return TooMany(FieldEntities, 0, l.Pairs)
}

// TooMany returns a ValidationError for more than limit values of a field of the input at
// this position of the request.
func TooMany(field Field, index, limit int) error {
	return &ValidationError{Problems: []Problem{{Field: field, Index: index, Rule: RuleMaxCount, Limit: limit}}}
}
