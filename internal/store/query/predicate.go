package query

import (
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Predicate is a condition on the rows of a listing.
type Predicate struct {
	Kind        Kind
	Association *Association        // of the predicates about lists and tags
	IDs         []int64             // of lists or tags, each once; of one link for NoteOfLink
	Text        TextPredicate       // of ContainsText, LacksText, OwnedNamed and Named
	Time        waymark.Time        // of CreatedFrom and CreatedBefore
	CheckResult waymark.CheckResult // of HasCheckResult
	Flag        waymark.FlagValue   // of HasFlag
	User        waymark.UserID      // of InNoneVisible, OwnedBy, TrashedBy and OwnedNamed
}

// Kind is the kind of condition of a predicate.
type Kind int

// The kinds of predicates.
const (
	InAny          Kind = iota // the link is in any of the lists, or has any of the tags
	InAll                      // in all of them
	InNone                     // in none of them
	InNoneVisible              // in none that the user sees
	ContainsText               // one of the link's texts contains the text
	LacksText                  // none of them does
	CreatedFrom                // the link was created at the time or later
	CreatedBefore              // it was created before the time
	OwnedBy                    // the entity is the user's own
	IsBroken                   // the link's status is not OK
	HasCheckResult             // the last check of the link had the result
	HasFlag                    // a flag of the link has the value
	NoteOfLink                 // the note is on this link
	TrashedBy                  // the entity is in the user's trash
	OwnedNamed                 // the list or tag is an active one of the user, and its name contains the text
	Named                      // the name contains the text
)

// TextPredicate is a text, and the columns of a link that contain it, or do not.
type TextPredicate struct {
	Text    string   // folded by waymark.Fold
	Columns []string // url, title, description; none for OwnedNamed and Named
	// SnapshotWords is not empty if the text may be in the snapshot of the page instead: for each of these
	// it has a word that begins with it.
	SnapshotWords []string
}

// selective reports whether an index of the predicate finds fewer rows than the index of
// visible_to.
func (p Predicate) selective() bool { return p.Kind == InAny || p.Kind == InAll }

// condition returns the condition that the row e satisfies the predicate.
func (p Predicate) condition(a *database.Args, d *Dialect) string {
	switch p.Kind {
	case InAny:
		return "e.id IN (SELECT m.link_id FROM " + p.associations(a) + ")"
	case InAll:
		return "e.id IN (SELECT m.link_id FROM " + p.associations(a) + " GROUP BY m.link_id HAVING count(*) = " + a.Add(len(p.IDs)) + ")"
	case InNone:
		return "NOT EXISTS (SELECT 1 FROM " + p.associations(a) + " AND m.link_id = e.id)"
	case InNoneVisible:
		return "NOT EXISTS (SELECT 1 FROM " + p.Association.Table + " AS m JOIN " + p.Association.Entities + " AS t ON t.id = m." + p.Association.Column +
			" WHERE m.link_id = e.id AND " + VisibleTo(a, "t.visible_to", p.User) + ")"
	case ContainsText:
		return p.Text.condition(a, d)
	case LacksText:
		return "NOT " + p.Text.condition(a, d)
	case CreatedFrom:
		return "e.created_at >= " + a.Add(p.Time)
	case CreatedBefore:
		return "e.created_at < " + a.Add(p.Time)
	case OwnedBy:
		return "e.user_id = " + a.Add(p.User)
	case IsBroken:
		return "e.status > " + a.Add(waymark.StatusOK)
	case HasCheckResult:
		return "e.check_result = " + a.Add(p.CheckResult)
	case HasFlag:
		if p.Flag.On {
			return "e." + p.Flag.Flag.String()
		}
		return "NOT e." + p.Flag.Flag.String()
	case NoteOfLink:
		return "e.link_id = " + a.Add(p.IDs[0])
	case TrashedBy:
		return "e.user_id = " + a.Add(p.User) + " AND e.visible_to IS NULL"
	case OwnedNamed:
		return "e.user_id = " + a.Add(p.User) + " AND e.visible_to IS NOT NULL AND " + d.Contains("e.name_folded", a.Add(p.Text.Text))
	case Named:
		return d.Contains("e.name_folded", a.Add(p.Text.Text))
	}
	panic("query: unknown kind of predicate " + strconv.Itoa(int(p.Kind)))
}

func (t TextPredicate) condition(a *database.Args, d *Dialect) string {
	parameter := a.Add(t.Text)
	conditions := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		conditions[i] = d.Contains(Folded(column), parameter)
	}
	if len(t.SnapshotWords) > 0 {
		conditions = append(conditions, "e.id IN ("+d.SnapshotsWith(a.Add(d.SnapshotQuery(t.SnapshotWords)))+")")
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// associations returns the FROM and WHERE of the associations m with the lists or tags.
func (p Predicate) associations(a *database.Args) string {
	return p.Association.Table + " AS m WHERE m." + p.Association.Column + " " + database.In(a, p.IDs)
}

// Folded returns the expression for the folded text of a column of the link e. The column
// with the folded text is NULL if it is equal.
func Folded(column string) string { return "coalesce(e." + column + "_folded, e." + column + ")" }
