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
	Sharing
	Unreadable
}

// NewList returns the list that owner makes with in, or an InvalidError.
func NewList(owner User, in ListInput) (List, error) {
	list := List{Owner: owner.ID}
	list.Visibility = in.over(0, owner.Visibility)
	return list, in.Apply(&list)
}

// Apply changes list as in says, or returns an InvalidError.
func (in ListInput) Apply(list *List) error {
	problems := in.problems()
	list.Name = CleanName(in.Name)
	problems.checkName(list.Name)
	if in.Description != nil {
		list.Description = *in.Description
		problems.checkText("description", list.Description, MaxDescription)
	}
	in.check(problems)
	list.Visibility = in.over(list.Visibility, list.Visibility)
	return problems.OrNil()
}

// TagInput is what somebody says about a tag; the name is always needed. Nil means
// not said.
type TagInput struct {
	Name string
	Sharing
	Unreadable
}

// NewTag returns the tag that owner makes with in, or an InvalidError.
func NewTag(owner User, in TagInput) (Tag, error) {
	tag := Tag{Owner: owner.ID}
	tag.Visibility = in.over(0, owner.Visibility)
	return tag, in.Apply(&tag)
}

// Apply changes tag as in says, or returns an InvalidError.
func (in TagInput) Apply(tag *Tag) error {
	problems := in.problems()
	tag.Name = CleanName(in.Name)
	problems.checkName(tag.Name)
	in.check(problems)
	tag.Visibility = in.over(tag.Visibility, tag.Visibility)
	return problems.OrNil()
}

// NoteInput is what somebody says about a note; the text is always needed. Nil
// means not said.
type NoteInput struct {
	Text string
	Sharing
	Unreadable
}

// NewNote returns the note that owner puts on link with in, or an InvalidError.
func NewNote(owner User, link LinkID, in NoteInput) (Note, error) {
	note := Note{Owner: owner.ID, Link: link}
	note.Visibility = in.over(0, owner.Visibility)
	return note, in.Apply(&note)
}

// Apply changes note as in says, or returns an InvalidError.
func (in NoteInput) Apply(note *Note) error {
	problems := in.problems()
	note.Text = in.Text
	if problems.checkRequired("note", note.Text) {
		problems.checkText("note", note.Text, MaxNote)
	}
	in.check(problems)
	note.Visibility = in.over(note.Visibility, note.Visibility)
	return problems.OrNil()
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

// Over returns the visibility of an entry that has v before the edit.
func (e BulkEdit) Over(v Visibility) Visibility { return Sharing{e.Visibility, e.Private}.over(v, v) }
