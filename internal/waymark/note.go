package waymark

// Note is a text that a user added to a link. The link can be another user's.
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

// NoteInput is a user's input for a new or an existing note. Text is required.
type NoteInput struct {
	Text string
	VisibilityInput
	Version string // see LinkInput
}

// NewNote returns the note that owner adds to link from in, or a ValidationError.
func NewNote(owner User, link LinkID, in NoteInput) (Note, error) {
	note := Note{Owner: owner.ID, Link: link}
	note.Visibility = in.resolve(0, owner.DefaultVisibility.Notes)
	err := in.Apply(&note)
	return note, err
}

// Apply sets the fields of note from in. It returns a ValidationError if the input
// breaks a rule; the note must then be discarded.
func (in NoteInput) Apply(note *Note) error {
	problems := &ValidationError{}
	problems.validateVersion(FieldText, in.Version, note.UpdatedAt)
	note.Text = in.Text
	if problems.validateRequired(FieldText, note.Text) {
		problems.validateText(FieldText, note.Text, MaxNote)
	}
	in.validate(problems)
	note.Visibility = in.resolve(note.Visibility, note.Visibility)
	return problems.Err()
}
