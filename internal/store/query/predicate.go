package query

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Predicate is a condition on the rows of a listing.
type Predicate struct {
	Kind        Kind
	Parts       []Predicate         // of And and Or; the one of Not
	Association *Association        // of the predicates about lists and tags
	IDs         []int64             // of lists or tags, each once; of one link for NoteOfLink
	Text        TextPredicate       // of ContainsText, InNamed, NoteContains, SnapshotContains, OnSite, OwnedNamed and Named
	From        waymark.Time        // of SavedBetween and EditedBetween: at From or later, unless it is waymark.MinTime
	Before      waymark.Time        // and before Before, unless it is waymark.MaxTime
	CheckResult waymark.CheckResult // of HasCheckResult
	Flag        waymark.FlagValue   // of HasFlag
	Visibility  waymark.Visibility  // of VisibleAs
	User        waymark.UserID      // of InNoneVisible, InNamed, NoteContains, HasNote, IsDuplicate, OwnedBy, TrashedBy, OwnedNamed and Empty

	// LinkIDs are what LinkIDsSQL has found, for the index, which does not know it.
	LinkIDs []int64
}

// Kind is the kind of condition of a predicate.
type Kind int

// The kinds of predicates.
const (
	And            Kind = iota // all parts are satisfied; every row if there are none
	Or                         // at least one part is satisfied; no row if there are none
	Not                        // the part is not satisfied
	InAny                      // the link is in any of the lists, or has any of the tags
	InAll                      // in all of them
	InNoneVisible              // in none that the user sees
	InNamed                    // in one that the user sees whose name contains the text, or begins with it
	ContainsText               // one of the link's texts contains the text
	OnSite                     // the host of the link's URL is the text, or a subdomain of it
	SavedBetween               // the link was created between two times
	EditedBetween              // it was changed between two times
	OwnedBy                    // the entity is the user's own
	VisibleAs                  // the link has the visibility
	IsBroken                   // the link's status is not OK
	HasCheckResult             // the last check of the link had the result
	HasFlag                    // a flag of the link has the value
	HasDescription             // the description of the link is not empty
	NoteOfLink                 // the note is on this link
	TrashedBy                  // the entity is in the user's trash
	OwnedNamed                 // the list or tag is an active one of the user, and its name contains the text
	Named                      // the name contains the text
	Empty                      // the user sees no link in the list and its sublists, or with the tag

	// These are satisfied by the links that LinkIDsSQL selects.
	SnapshotContains // the snapshot of the page has the words
	NoteContains     // a note that the user sees contains the text
	HasNote          // the link has a note that the user sees
	HasSnapshot      // there is a snapshot of its page
	HasThumbnail     // there is a picture of its image
	IsDuplicate      // the link is the user's own, and not the only active one with its key
)

// TextPredicate is the text of a predicate.
type TextPredicate struct {
	Text    string   // folded by waymark.Fold
	Columns []string // of ContainsText: url, title, description
	Prefix  bool     // of InNamed: the text is the beginning of the name
	Words   []string // of SnapshotContains: each is the beginning of a word of the snapshot
}

// Never is the predicate that no row satisfies.
var Never = Predicate{Kind: Or}

// selective reports whether the predicate's index finds fewer rows than that of visible_to.
func (p Predicate) selective() bool { return p.Kind == InAny || p.Kind == InAll }

// condition returns the condition that the row e satisfies the predicate.
func (p Predicate) condition(a *database.Args, d *Dialect) string {
	switch p.Kind {
	case And:
		return p.joined(a, d, " AND ", "TRUE")
	case Or:
		return p.joined(a, d, " OR ", "FALSE")
	case Not:
		if part := p.Parts[0]; part.Kind == InAny {
			return "NOT EXISTS (SELECT 1 FROM " + part.associations(a) + " AND m.link_id = e.id)"
		}
		return "NOT (" + p.Parts[0].condition(a, d) + ")"
	case InAny:
		return "e.id IN (SELECT m.link_id FROM " + p.associations(a) + ")"
	case InAll:
		return "e.id IN (SELECT m.link_id FROM " + p.associations(a) + " GROUP BY m.link_id HAVING count(*) = " + a.Add(len(p.IDs)) + ")"
	case InNoneVisible:
		return "NOT EXISTS (SELECT 1 FROM " + p.Association.Table + " AS m JOIN " + p.Association.Entities + " AS t ON t.id = m." + p.Association.Column +
			" WHERE m.link_id = e.id AND " + VisibleTo(a, "t.visible_to", p.User) + ")"
	case InNamed:
		return "e.id IN (SELECT m.link_id FROM " + p.Association.Table + " AS m JOIN " + p.Association.Entities + " AS t ON t.id = m." + p.Association.Column +
			" WHERE " + p.named(a, d) + " AND " + VisibleTo(a, "t.visible_to", p.User) + ")"
	case ContainsText:
		return p.Text.condition(a, d)
	case OnSite:
		return onSite(a, d, p.Text.Text)
	case SavedBetween:
		return p.between("e.created_at", a)
	case EditedBetween:
		return p.between("e.updated_at", a)
	case OwnedBy:
		return "e.user_id = " + a.Add(p.User)
	case VisibleAs:
		return "e.visibility = " + a.Add(p.Visibility)
	case IsBroken:
		return "e.status > " + a.Add(waymark.StatusOK)
	case HasCheckResult:
		return "e.check_result = " + a.Add(p.CheckResult)
	case HasFlag:
		if p.Flag.On {
			return "e." + p.Flag.Flag.String()
		}
		return "NOT e." + p.Flag.Flag.String()
	case HasDescription:
		return "e.description <> ''"
	case NoteOfLink:
		return "e.link_id = " + a.Add(p.IDs[0])
	case TrashedBy:
		return "e.user_id = " + a.Add(p.User) + " AND e.visible_to IS NULL"
	case OwnedNamed:
		return "e.user_id = " + a.Add(p.User) + " AND e.visible_to IS NOT NULL AND " + d.Contains("e.name_folded", a.Add(p.Text.Text))
	case Named:
		return d.Contains("e.name_folded", a.Add(p.Text.Text))
	case Empty:
		return p.empty(a)
	}
	return "e.id IN (" + p.LinkIDsSQL(a, d) + ")"
}

// empty returns the condition of Empty.
func (p Predicate) empty(a *database.Args) string {
	labels := "VALUES (e.id)"
	if p.Association == &LinkLists {
		labels = "SELECT e.id UNION SELECT s.id FROM below" + database.JoinInOrder + "lists AS s WHERE s.parent_id = below.id AND s.visible_to IS NOT NULL"
	}
	return "NOT EXISTS (WITH RECURSIVE below (id) AS (" + labels + ") SELECT 1 FROM below" + database.JoinInOrder + p.Association.Table + " AS m" + database.JoinInOrder +
		"links AS l WHERE m." + p.Association.Column + " = below.id AND l.id = m.link_id AND " + VisibleTo(a, database.Unindexed("l.visible_to"), p.User) + ")"
}

// SelectsLinks reports whether the predicate is satisfied by the links that LinkIDsSQL selects.
func (p Predicate) SelectsLinks() bool { return p.Kind >= SnapshotContains }

// DependsOnOthers reports whether the predicate depends on tables that the log of changes does not
// cover: it has changes of links, lists, tags and snapshots.
func (p Predicate) DependsOnOthers() bool {
	return p.SelectsLinks() && p.Kind != SnapshotContains || slices.ContainsFunc(p.Parts, Predicate.DependsOnOthers)
}

// LinkIDsSQL returns the query for the ids of links, active or not, for a predicate that SelectsLinks.
func (p Predicate) LinkIDsSQL(a *database.Args, d *Dialect) string {
	switch p.Kind {
	case SnapshotContains:
		return d.SnapshotsWith(a.Add(d.SnapshotQuery(p.Text.Words)))
	case NoteContains:
		return "SELECT n.link_id FROM notes AS n WHERE " + VisibleTo(a, "n.visible_to", p.User) + " AND " + d.Contains("coalesce(n.note_folded, n.note)", a.Add(p.Text.Text))
	case HasNote:
		return "SELECT n.link_id FROM notes AS n WHERE " + VisibleTo(a, "n.visible_to", p.User)
	case HasSnapshot:
		return "SELECT link_id FROM text_snapshots UNION SELECT link_id FROM full_snapshots"
	case IsDuplicate:
		owner := a.Add(p.User)
		return "SELECT l.id AS link_id FROM links AS l WHERE l.user_id = " + owner + " AND l.url_key IN (SELECT k.url_key FROM links AS k WHERE k.user_id = " + owner + " AND k.visible_to IS NOT NULL GROUP BY k.url_key HAVING count(*) > 1)"
	case HasThumbnail:
		return "SELECT link_id FROM link_pictures WHERE kind = " + a.Add(waymark.Thumbnail)
	}
	panic("query: unknown kind of predicate " + strconv.Itoa(int(p.Kind)))
}

// joined returns the conditions of the parts with an operator between them.
func (p Predicate) joined(a *database.Args, d *Dialect, operator, none string) string {
	if len(p.Parts) == 0 {
		return none
	}
	conditions := waymark.Map(p.Parts, func(part Predicate) string { return part.condition(a, d) })
	return "(" + strings.Join(conditions, operator) + ")"
}

// named returns the condition on the name of the list or tag t.
func (p Predicate) named(a *database.Args, d *Dialect) string {
	parameter := a.Add(p.Text.Text)
	if p.Text.Prefix {
		return d.Position("t.name_folded", parameter) + " = 1"
	}
	return d.Contains("t.name_folded", parameter)
}

func (p Predicate) between(column string, a *database.Args) string {
	var conditions []string
	if p.From != waymark.MinTime {
		conditions = append(conditions, column+" >= "+a.Add(p.From))
	}
	if p.Before != waymark.MaxTime {
		conditions = append(conditions, column+" < "+a.Add(p.Before))
	}
	if len(conditions) == 0 {
		return "TRUE"
	}
	return strings.Join(conditions, " AND ")
}

func (t TextPredicate) condition(a *database.Args, d *Dialect) string {
	parameter := a.Add(t.Text)
	conditions := waymark.Map(t.Columns, func(column string) string { return d.Contains(Folded(column), parameter) })
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// onSite returns the condition that the link e is on a host, as HostMatches.
func onSite(a *database.Args, d *Dialect, host string) string {
	url := Folded("url")
	start := d.Position(url, "'://'")
	rest := "replace(replace(substr(" + url + ", " + start + " + 3), '?', '/'), '#', '/') || '/'"
	authority := "substr(" + rest + ", 1, " + d.Position(rest, "'/'") + ")"
	return "(" + start + " > 0 AND " + d.Contains("replace(replace('.' || "+authority+", '@', '.'), ':', '/')", a.Add("."+host+"/")) + ")"
}

// HostMatches reports whether the host of a folded URL is a folded host, or a subdomain of it. It
// looks for the host, with a dot or @ before it and the end or a colon after it, in the part of the URL
// before the path, as SQL does.
func HostMatches(url []byte, host string) bool {
	_, rest, ok := strings.Cut(string(url), "://")
	if !ok {
		return false
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(strings.NewReplacer("@", ".", ":", "/").Replace("."+rest+"/"), "."+host+"/")
}

// associations returns the FROM and WHERE of the associations m with the lists or tags.
func (p Predicate) associations(a *database.Args) string {
	return p.Association.Table + " AS m WHERE m." + p.Association.Column + " " + database.In(a, p.IDs)
}

// Folded returns the expression for the folded text of a column of the link e. The column
// with the folded text is NULL if it is equal.
func Folded(column string) string { return "coalesce(e." + column + "_folded, e." + column + ")" }
