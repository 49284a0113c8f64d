package waymark

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

	// LinkCount is the number of links in the list that the viewer sees, in results that have
	// it.
	LinkCount int
}

// ListInput is a user's input for a new or an existing list. Name is required. Nil
// fields get the default in a new list and are kept in an existing one.
type ListInput struct {
	Name        string
	Description *string // "" for none
	VisibilityInput
	Version   string // see LinkInput
	DecodeErr error  // see LinkInput
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
	problems := newValidationError(in.DecodeErr)
	problems.validateVersion(FieldName, in.Version, list.UpdatedAt)
	list.Name = NormalizeName(in.Name)
	problems.validateName(list.Name)
	if in.Description != nil {
		list.Description = *in.Description
		problems.validateBytes(FieldDescription, list.Description, MaxListDescription)
	}
	in.validate(problems)
	list.Visibility = in.resolve(list.Visibility, list.Visibility)
	return problems.Err()
}
