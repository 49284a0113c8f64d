package waymark

// List is a named collection of links. A link may stand in many.
type List struct {
	ID          ListID
	Owner       UserID
	Name        string
	Description string // "" for none
	Visibility  Visibility
	CreatedAt   Time
	UpdatedAt   Time
	DeletedAt   Time // zero while active
}

// Tag is a label on links. Its name is unique among its owner's active tags,
// without regard to case.
type Tag struct {
	ID         TagID
	Owner      UserID
	Name       string
	Visibility Visibility
	CreatedAt  Time
	UpdatedAt  Time
	DeletedAt  Time // zero while active
}

// Note is a text that somebody put on a link, their own or another's.
type Note struct {
	ID         NoteID
	Owner      UserID
	Link       LinkID
	Text       string
	Visibility Visibility
	CreatedAt  Time
	UpdatedAt  Time
	DeletedAt  Time // zero while active
}

// ListInput is what somebody says about a list; the name is always needed. Nil
// means not said.
type ListInput struct {
	Name        string
	Description *string // "" for none
	VisibilityInput
	Unreadable
}

// NewList returns the list that owner makes with in, or an ValidationError.
func NewList(owner User, in ListInput) (List, error) {
	list := List{Owner: owner.ID}
	list.Visibility = in.resolve(0, owner.Visibility)
	return list, in.Apply(&list)
}

// Apply changes list as in says, or returns an ValidationError.
func (in ListInput) Apply(list *List) error {
	problems := in.problems()
	list.Name = NormalizeName(in.Name)
	problems.validateName(list.Name)
	if in.Description != nil {
		list.Description = *in.Description
		problems.validateText("description", list.Description, MaxDescription)
	}
	in.validate(problems)
	list.Visibility = in.resolve(list.Visibility, list.Visibility)
	return problems.Err()
}

// TagInput is what somebody says about a tag; the name is always needed. Nil means
// not said.
type TagInput struct {
	Name string
	VisibilityInput
	Unreadable
}

// NewTag returns the tag that owner makes with in, or an ValidationError.
func NewTag(owner User, in TagInput) (Tag, error) {
	tag := Tag{Owner: owner.ID}
	tag.Visibility = in.resolve(0, owner.Visibility)
	return tag, in.Apply(&tag)
}

// Apply changes tag as in says, or returns an ValidationError.
func (in TagInput) Apply(tag *Tag) error {
	problems := in.problems()
	tag.Name = NormalizeName(in.Name)
	problems.validateName(tag.Name)
	in.validate(problems)
	tag.Visibility = in.resolve(tag.Visibility, tag.Visibility)
	return problems.Err()
}

// NoteInput is what somebody says about a note; the text is always needed. Nil
// means not said.
type NoteInput struct {
	Text string
	VisibilityInput
	Unreadable
}

// NewNote returns the note that owner puts on link with in, or an ValidationError.
func NewNote(owner User, link LinkID, in NoteInput) (Note, error) {
	note := Note{Owner: owner.ID, Link: link}
	note.Visibility = in.resolve(0, owner.Visibility)
	return note, in.Apply(&note)
}

// Apply changes note as in says, or returns an ValidationError.
func (in NoteInput) Apply(note *Note) error {
	problems := in.problems()
	note.Text = in.Text
	if problems.validateRequired("note", note.Text) {
		problems.validateText("note", note.Text, MaxNote)
	}
	in.validate(problems)
	note.Visibility = in.resolve(note.Visibility, note.Visibility)
	return problems.Err()
}

// BulkEdit is one change to many entries.
type BulkEdit struct {
	Visibility *Visibility // nil keeps what each has, unless Private says otherwise
	Private    *bool
	Lists      []Ref // for links
	Tags       []Ref
	// Whether Lists and Tags replace what a link has, or are added to it.
	ReplaceLists, ReplaceTags bool
}

// ApplyVisibility returns the visibility of an entry that has v before the edit.
func (e BulkEdit) ApplyVisibility(v Visibility) Visibility {
	return VisibilityInput{e.Visibility, e.Private}.resolve(v, v)
}
