package linkding

import "waymark/internal/waymark"

// filterOf is a filter for a condition without alternatives.
func filterOf(c waymark.Condition) (f waymark.LinkFilter) {
	yes, no := true, false
	all, ok := c.(waymark.And)
	if !ok {
		all = waymark.And{c}
	}
	for _, c := range all {
		switch c := c.(type) {
		case waymark.OwnedBy:
			f.Owner = c.ID
		case waymark.Contains:
			f.Words = append(f.Words, c.Text)
		case waymark.Labeled:
			f.Tags, f.AllTags = append(f.Tags, c.Refs...), true
		case waymark.Is:
			switch c {
			case waymark.IsUnread:
				f.Flags.Unread = &yes
			case waymark.IsArchived:
				f.Flags.Archived = &yes
			case waymark.IsUntagged:
				f.WithoutTags = true
			}
		case waymark.Not:
			switch c.Condition {
			case waymark.IsUnread:
				f.Flags.Unread = &no
			case waymark.IsArchived:
				f.Flags.Archived = &no
			}
		}
	}
	return f
}
