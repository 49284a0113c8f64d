package waymark

import (
	"fmt"
	"strings"
)

// DefaultVisibility is the visibility of a user's new entities of each kind, for requests
// that do not specify one. In an edit, zero keeps the visibility of a kind.
type DefaultVisibility struct {
	Links, Lists, Tags, Notes Visibility
}

var entityKinds = []EntityKind{Links, Lists, Tags, Notes}

// DefaultsTo returns the DefaultVisibility with v for every kind.
func DefaultsTo(v Visibility) DefaultVisibility { return DefaultVisibility{v, v, v, v} }

// of returns the field of a kind.
func (d *DefaultVisibility) of(kind EntityKind) *Visibility {
	switch kind {
	case Links:
		return &d.Links
	case Lists:
		return &d.Lists
	case Tags:
		return &d.Tags
	case Notes:
		return &d.Notes
	}
	panic(fmt.Sprintf("waymark: no default visibility for %s", kind))
}

// Edit returns d with the kinds replaced that are set in edit.
func (d DefaultVisibility) Edit(edit DefaultVisibility) DefaultVisibility {
	for _, kind := range entityKinds {
		if v := *edit.of(kind); v != 0 {
			*d.of(kind) = v
		}
	}
	return d
}

// String returns the visibility, such as private, if it is the same for every kind, and
// the visibility of each kind otherwise, such as
// links=public,lists=private,tags=private,notes=private.
func (d DefaultVisibility) String() string {
	if d == DefaultsTo(d.Links) {
		return d.Links.String()
	}
	var parts []string
	for _, kind := range entityKinds {
		parts = append(parts, kind.String()+"="+d.of(kind).String())
	}
	return strings.Join(parts, ",")
}

// ParseDefaultVisibility parses the parts of what String returns: a visibility for every
// kind, or KIND=VISIBILITY. A later part takes precedence over an earlier one; a kind that
// no part names is zero.
func ParseDefaultVisibility(parts []string) (DefaultVisibility, error) {
	var all DefaultVisibility
	for _, part := range parts {
		name, value, hasKind := strings.Cut(part, "=")
		if !hasKind {
			value = part
		}
		v, err := ParseVisibility(value)
		if err != nil {
			return DefaultVisibility{}, err
		}
		if !hasKind {
			all = DefaultsTo(v)
			continue
		}
		kind, err := parseEntityKind(name)
		if err != nil {
			return DefaultVisibility{}, err
		}
		*all.of(kind) = v
	}
	return all, nil
}

func parseEntityKind(name string) (EntityKind, error) {
	for _, kind := range entityKinds {
		if kind.String() == name {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("invalid kind %q: use links, lists, tags or notes", name)
}
