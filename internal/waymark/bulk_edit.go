package waymark

// MaxBulk is the maximum number of entities that one request creates or changes.
const MaxBulk = 100_000

// BulkEdit is one change to many links, lists or tags.
type BulkEdit struct {
	Visibility *Visibility // nil keeps the visibility of each, unless Private is set
	Private    *bool
	FlagsInput // of links; lists and tags have none
	// Lists and Tags are those of links to attach or remove. Lists and tags have none.
	Lists, Tags         []Ref
	ListsMode, TagsMode RefsMode
}

// RefsMode is what a bulk edit does with lists or tags.
type RefsMode int

// The modes.
const (
	AppendRefs  RefsMode = iota // attaches them, in addition to those that a link has
	ReplaceRefs                 // attaches them, and removes all others
	RemoveRefs                  // removes them: a name means all lists or tags with that name
)

// Validate returns a ValidationError if the edit breaks a rule.
func (e BulkEdit) Validate() error {
	problems := &ValidationError{}
	VisibilityInput{e.Visibility, e.Private}.validate(problems)
	problems.validateRefs(FieldLists, e.Lists)
	problems.validateRefs(FieldTags, e.Tags)
	return problems.Err()
}

// ApplyVisibility returns what the edit makes of a visibility.
func (e BulkEdit) ApplyVisibility(v Visibility) Visibility {
	return VisibilityInput{e.Visibility, e.Private}.resolve(v, v)
}

// FilesOnly reports whether the edit only puts links into lists or takes them out. It can then be one of others' links.
func (e BulkEdit) FilesOnly() bool {
	return len(e.Lists) > 0 && e.ListsMode != ReplaceRefs && len(e.Tags) == 0 && e.TagsMode != ReplaceRefs &&
		e.Visibility == nil && e.Private == nil && len(e.Values()) == 0
}
