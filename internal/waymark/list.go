package waymark

import (
	"strconv"
	"strings"
)

// List is a named collection of links. A link can be in any number of lists.
type List struct {
	ID          ListID
	Owner       UserID
	Name        string
	Description string // "" for none
	Visibility  Visibility
	CreatedAt   Time
	UpdatedAt   Time
	DeletedAt   Time // zero while active

	// Parent is the list in which this one stands, zero for none. A viewer who does not see that list reads
	// zero. Lists with one parent are sorted by Position, which is zero while nobody has ordered them, and then
	// by name.
	Parent   ListID
	Position int
	// Path are the lists in which this one stands that the viewer sees, the outermost one first. The last one
	// is Parent.
	Path []ListName

	Editing Editing
	// CanEdit reports whether the viewer may change what the list contains.
	CanEdit bool

	// LinkCount is the number of links in the list that the viewer sees, in results that have
	// it.
	LinkCount int
}

// ListName is a list that contains others.
type ListName struct {
	ID   ListID
	Name string
}

// Names returns the names of the lists in Path and of the list itself. Files have them as the folder of the links in the
// list.
func (l *List) Names() []string {
	names := make([]string, 0, len(l.Path)+1)
	for _, above := range l.Path {
		names = append(names, above.Name)
	}
	return append(names, l.Name)
}

// PathText returns the path of a list as a text: A/B, or /A if it stands in no list.
func PathText(path []ListName) string {
	text := strings.Join(Map(path, func(l ListName) string { return l.Name }), "/")
	if len(path) == 1 {
		return "/" + text
	}
	return text
}

// NumberedName splits a text with the name of a list and its id, such as A #12. The name is empty in #12. The id is 0 in
// other texts.
func NumberedName(text string) (name string, id int64) {
	at := strings.LastIndexByte(text, '#')
	if at < 0 {
		return "", 0
	}
	id, err := strconv.ParseInt(text[at+1:], 10, 64)
	name = strings.TrimSuffix(text[:at], " ")
	if err != nil || id <= 0 || at > 0 && len(name) != at-1 {
		return "", 0
	}
	return name, id
}

// ListPlace is where a list is to stand: in Parent, or in no list if that is zero, and there before the list
// Before. If that is zero, it stands last where people have ordered the lists, or if Last is true, and else where its
// name is.
type ListPlace struct {
	Parent, Before ListID
	Last           bool
}

// The limits of trees of lists. A user who has more lists than MaxNestedLists cannot put them into each other.
const (
	MaxListDepth    = 10 // the lists in a Path, and the list itself
	MaxNestedLists  = 20_000
	MaxListPosition = 1_000_000
)

// ListInput is a user's input for a new or an existing list. Name is required. Nil
// fields get the default in a new list and are kept in an existing one.
type ListInput struct {
	Name        string
	Description *string // "" for none
	Parent      *ListID // zero for none
	Position    *int    // see List
	VisibilityInput
	Version string // see LinkInput
}

// NewList returns the list that owner creates from in, or a ValidationError.
func NewList(owner User, in ListInput) (List, error) {
	list := List{Owner: owner.ID}
	list.Visibility = in.resolve(0, owner.DefaultVisibility.Lists)
	err := in.Apply(&list)
	return list, err
}

// Apply sets the fields of list from in. It returns a ValidationError if the input
// breaks a rule; the list must then be discarded.
func (in ListInput) Apply(list *List) error {
	problems := &ValidationError{}
	problems.validateVersion(FieldName, in.Version, list.UpdatedAt)
	list.Name = NormalizeName(in.Name)
	problems.validateName(list.Name)
	if in.Description != nil {
		list.Description = *in.Description
		problems.validateBytes(FieldDescription, list.Description, MaxListDescription)
	}
	if in.Parent != nil {
		list.Parent = *in.Parent
	}
	if in.Position != nil {
		list.Position = *in.Position
		if list.Position < 0 || list.Position > MaxListPosition {
			problems.add(FieldPosition, RuleFormat)
		}
	}
	in.validate(problems)
	list.Visibility = in.resolve(list.Visibility, list.Visibility)
	return problems.Err()
}
