package waymark

// Status says how a link's page answered when it was last visited.
type Status int

// The statuses, with the numbers that the API and the database use.
const (
	StatusOK     Status = 1
	StatusMoved  Status = 2
	StatusBroken Status = 3
)

// Valid tells whether s is one of the three.
func (s Status) Valid() bool { return s >= StatusOK && s <= StatusBroken }

// Link is a saved address.
type Link struct {
	ID            LinkID
	Owner         UserID
	URL           string
	Title         string
	Description   string // "" for none
	Thumbnail     string // the address of an image, "" for none
	Visibility    Visibility
	Status        Status
	CheckDisabled bool
	CreatedAt     Time
	UpdatedAt     Time
	DeletedAt     Time // zero while active

	// Lists and Tags are those that the viewer may see, in the order of their names.
	Lists []List
	Tags  []Tag
}

// LinkDraft is a link that is to be kept, and where it is to be filed.
type LinkDraft struct {
	Link
	IntoLists []Ref
	WithTags  []Ref
}

// LinkInput is what somebody says about a link, new or known; the address is
// always needed. Nil means not said: a new link gets a default, a known one keeps
// what it has.
type LinkInput struct {
	URL           string
	Title         *string // "" for the host
	Description   *string // "" for none
	Status        *Status
	CheckDisabled *bool
	Lists         *[]Ref
	Tags          *[]Ref
	VisibilityInput
	Unreadable
}

// NewLink returns the link that owner makes with in, or an ValidationError.
func NewLink(owner User, in LinkInput) (Link, error) {
	link := Link{Owner: owner.ID}
	link.Visibility = in.resolve(0, owner.Visibility)
	return link, in.Apply(&link)
}

// Apply changes link as in says. It returns an ValidationError that names every
// field that breaks a rule; the link is then half changed and must not be kept.
func (in LinkInput) Apply(link *Link) error {
	problems := in.problems()
	if in.URL != link.URL {
		link.URL = in.URL
		link.Status = StatusOK
	}
	if problems.validateRequired("url", link.URL) {
		validateURL(problems, link.URL)
	}
	if in.Title != nil {
		link.Title = *in.Title
		problems.validateText("title", link.Title, MaxTitle)
	}
	if link.Title == "" {
		link.Title = DefaultTitle(link.URL)
	}
	if in.Description != nil {
		link.Description = *in.Description
		problems.validateText("description", link.Description, MaxDescription)
	}
	in.validate(problems)
	link.Visibility = in.resolve(link.Visibility, link.Visibility)
	if in.Status != nil && in.Status.Valid() {
		link.Status = *in.Status
	}
	if in.CheckDisabled != nil {
		link.CheckDisabled = *in.CheckDisabled
	}
	if in.Lists != nil {
		ValidateRefs(problems, "lists", *in.Lists)
	}
	if in.Tags != nil {
		ValidateRefs(problems, "tags", *in.Tags)
	}
	return problems.Err()
}

// Ref points at a list or a tag: by id, or by name where the id is zero.
type Ref struct {
	ID   int64
	Name string
}

// ValidateRefs notes under field the names among refs that no list or tag can have.
func ValidateRefs(problems *ValidationError, field string, refs []Ref) {
	for _, ref := range refs {
		problems.validateText(field, ref.Name, MaxName)
		if problems.Has(field) {
			return
		}
	}
}
