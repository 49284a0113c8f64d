package waymark

// BulkEdit is one change to many links, lists or tags.
type BulkEdit struct {
	Visibility *Visibility // nil keeps the visibility of each, unless Private is set
	Private    *bool
	// Lists and Tags are attached to links. Lists and tags have none.
	Lists, Tags []Ref
	// ReplaceLists and ReplaceTags remove the other lists and tags of each link.
	ReplaceLists, ReplaceTags bool
	DecodeErr                 error // see LinkInput
}

// Validate returns a ValidationError if the edit breaks a rule.
func (e BulkEdit) Validate() error {
	problems := newValidationError(e.DecodeErr)
	VisibilityInput{e.Visibility, e.Private}.validate(problems)
	problems.validateRefs(FieldLists, e.Lists)
	problems.validateRefs(FieldTags, e.Tags)
	return problems.Err()
}

// ApplyVisibility returns the visibility that an entity with visibility v has after the
// edit.
func (e BulkEdit) ApplyVisibility(v Visibility) Visibility {
	return VisibilityInput{e.Visibility, e.Private}.resolve(v, v)
}
