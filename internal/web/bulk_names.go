package web

import (
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxUsed is the maximum number of lists or tags of the selected links that can be ticked to remove them. A field
// takes the names of others.
const maxUsed = 12

// nameChange is how a form changes the lists or tags of the selected links.
type nameChange struct {
	kind        waymark.EntityKind
	add, remove []waymark.Ref
	only        bool // the links keep no others
}

// readNameChange reads the fields of a form for lists or for tags.
func readNameChange(r *page.Request, kind waymark.EntityKind, name string) (nameChange, error) {
	read := func(field string) (*[]waymark.Ref, error) {
		if kind == waymark.Lists {
			return listRefs(r, parseNames(r.Field(field)), nil)
		}
		return refs(parseNames(r.Field(field)), nil), nil
	}
	c := nameChange{kind: kind, only: r.Field("only-"+name) != ""}
	add, err := read(name)
	if err != nil {
		return c, err
	}
	if c.add = *add; c.only {
		return c, nil
	}
	remove, err := read("remove-" + name)
	if err != nil {
		return c, err
	}
	c.remove = *remove
	ticked := refsOf(parseIDs(r.HTTP.PostForm["remove-"+name+"-ids"], maxUsed))
	var found labels
	err = found.find(r, r.User.ID, map[waymark.EntityKind][]waymark.Ref{kind: ticked})
	for _, ref := range ticked {
		if label, ok := found.of(kind, ref); ok { // else it was deleted since, and no link has it
			c.remove = append(c.remove, waymark.Ref{ID: ref.ID, Name: label.name})
		}
	}
	return c, err
}

// empty reports whether nothing was filled in.
func (c nameChange) empty() bool { return len(c.add)+len(c.remove) == 0 && !c.only }

// verb returns what the change does, for the text about it.
func (c nameChange) verb() string {
	switch {
	case c.only && len(c.add) == 0:
		return "no"
	case c.only:
		return "replace"
	case len(c.remove) == 0:
		return "add"
	case len(c.add) == 0:
		return "remove"
	}
	return "change"
}

// edits returns the changes in their order. Names are removed first, so that a link at its limit can get others.
func (c nameChange) edits() []waymark.BulkEdit {
	var edits []waymark.BulkEdit
	if len(c.remove) > 0 {
		edits = append(edits, c.edit(c.remove, waymark.RemoveRefs))
	}
	switch {
	case c.only:
		edits = append(edits, c.edit(c.add, waymark.ReplaceRefs))
	case len(c.add) > 0:
		edits = append(edits, c.edit(c.add, waymark.AppendRefs))
	}
	return edits
}

func (c nameChange) edit(names []waymark.Ref, mode waymark.RefsMode) waymark.BulkEdit {
	if c.kind == waymark.Lists {
		return waymark.BulkEdit{Lists: names, ListsMode: mode}
	}
	return waymark.BulkEdit{Tags: names, TagsMode: mode}
}

// message says what a change of n links did. changed reports whether a link is not as it was.
func (c nameChange) message(r *page.Request, change string, n int, changed bool) string {
	if change == "tags" || change == "lists" {
		verb := c.verb()
		change = verb + "-" + change
		if verb == "remove" && !changed { // no link had one of the names
			change = "nothing-removed"
		}
	}
	added, removed := c.quoted(c.add), c.quoted(c.remove)
	if added == "" {
		added = removed
	}
	return r.T("bulk."+change, "n", n, "names", added, "removed", removed)
}

// quoted returns names for the message about the change.
func (c nameChange) quoted(names []waymark.Ref) string {
	sign := ""
	if c.kind == waymark.Tags {
		sign = "#"
	}
	return page.Quoted(strings.Join(waymark.Map(names, func(ref waymark.Ref) string { return sign + ref.Name }), ", "))
}
