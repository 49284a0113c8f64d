package waymark

// Tag is a label on links. Its name is unique among its owner's active tags, without
// regard to case.
type Tag struct {
	ID         TagID
	Owner      UserID
	Name       string
	Visibility Visibility
	CreatedAt  Time
	UpdatedAt  Time
	DeletedAt  Time // zero while active

	// LinkCount is the number of links with the tag that the viewer sees, in results that have
	// it.
	LinkCount int
}

// TagInput is a user's input for a new or an existing tag. Name is required.
type TagInput struct {
	Name string
	VisibilityInput
	Version string // see LinkInput
}

// NewTag returns the tag that owner creates from in, or a ValidationError.
func NewTag(owner User, in TagInput) (Tag, error) {
	tag := Tag{Owner: owner.ID}
	tag.Visibility = in.resolve(0, owner.DefaultVisibility.Tags)
	err := in.Apply(&tag)
	return tag, err
}

// Apply sets the fields of tag from in. After a ValidationError, tag must be discarded.
func (in TagInput) Apply(tag *Tag) error {
	problems := &ValidationError{}
	problems.validateVersion(FieldName, in.Version, tag.UpdatedAt)
	tag.Name = NormalizeName(in.Name)
	problems.validateName(tag.Name)
	in.validate(problems)
	tag.Visibility = in.resolve(tag.Visibility, tag.Visibility)
	return problems.Err()
}
