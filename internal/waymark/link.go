package waymark

// Status is the result of the last check of a link's URL.
type Status int

// The statuses. The API and the database use the same numbers.
const (
	StatusOK     Status = 1
	StatusMoved  Status = 2
	StatusBroken Status = 3
)

// Valid reports whether s is one of the three statuses.
func (s Status) Valid() bool { return s >= StatusOK && s <= StatusBroken }

// Link is a saved URL.
type Link struct {
	ID          LinkID
	Owner       UserID
	URL         string
	Title       string
	Description string // "" for none
	ImageURL    string // of the page's image on another server, "" for none

	// FromPage says which texts the fetcher may replace, because nobody has typed them.
	FromPage LinkTexts

	Visibility    Visibility
	Status        Status
	CheckResult   CheckResult // of the last check; the store keeps it
	Minutes       int         // to read the text snapshot, 0 without one; the store keeps it
	CheckDisabled bool
	Snapshots     SnapshotChoice // of the page
	LinkFlags
	CreatedAt Time
	UpdatedAt Time
	DeletedAt Time // zero while active
	SeenAt    Time // when its owner has last looked at it, zero for never and for everybody else

	// Lists and Tags are those that the viewer may see, sorted by name.
	Lists []List
	Tags  []Tag
}

// TypedTitle returns the title of the link, or "" while that is the default title.
func (l *Link) TypedTitle() string {
	if l.FromPage.Has(TitleText) && l.Title == DefaultTitle(l.URL) {
		return ""
	}
	return l.Title
}

// WaybackURL returns the URL of the page in the Wayback Machine, as it was when the link was
// saved. Whether there is a snapshot is not known.
func (l *Link) WaybackURL() string {
	return "https://web.archive.org/web/" + l.CreatedAt.Time().Format("20060102150405") + "/" + l.URL
}

// LinkDraft is a link to create, and the lists and tags to attach to it.
type LinkDraft struct {
	Link  Link
	Lists []Ref
	Tags  []Ref

	// NoTexts says that the link gets no texts from its page now.
	NoTexts bool
	// AsLists says that the link is at least as visible as the lists that its owner edits together with others.
	AsLists bool
}

// LinkInput is a user's input for a new or an existing link. URL is required. Nil fields
// get the default in a new link and are kept in an existing one.
type LinkInput struct {
	URL           string
	Title         *string   // without a visible character for the default title
	Description   *string   // "" for none
	Page          PageTexts // of a new link, if they were fetched before; for those texts that are not typed
	Status        *Status
	CheckDisabled *bool
	Snapshots     *SnapshotChoice
	Lists         *[]Ref
	Tags          *[]Ref
	VisibilityInput
	FlagsInput
	CreatedAt *Time  // nil for now in a new link
	UpdatedAt *Time  // of a new link only; nil for now
	NoTexts   bool   // a new link gets no texts from its page, until that is asked for
	Version   string // the UpdatedAt of the link that the editor has read, "" if later changes may be replaced
}

// NewLink returns the link that owner creates from in, or a ValidationError.
func NewLink(owner User, in LinkInput) (Link, error) {
	link := Link{Owner: owner.ID}
	link.Visibility = in.resolve(0, owner.DefaultVisibility.Links)
	err := in.Apply(&link)
	if in.UpdatedAt != nil {
		link.UpdatedAt = *in.UpdatedAt
	}
	link.FromPage = allLinkTexts
	if !empty(in.Title) {
		link.FromPage &^= TitleText
	}
	if !empty(in.Description) {
		link.FromPage &^= DescriptionText
	}
	link.SetPageTexts(in.Page)
	return link, err
}

// Apply sets the fields of link from in. A new URL resets the status. It returns a
// ValidationError if the input breaks a rule; the link must then be discarded.
func (in LinkInput) Apply(link *Link) error {
	problems := &ValidationError{}
	problems.validateVersion(FieldLink, in.Version, link.UpdatedAt)
	link.FromPage = in.fromPage(link)
	if in.URL != link.URL {
		link.URL = in.URL
		link.Status = StatusOK
	}
	if problems.validateRequired(FieldURL, link.URL) {
		problems.validateURL(link.URL)
	}
	if in.Title != nil {
		link.Title = *in.Title
		problems.validateText(FieldTitle, link.Title, MaxTitle)
	}
	if !hasVisible(link.Title) { // nothing to click or to read
		link.Title = DefaultTitle(link.URL)
	}
	if in.Description != nil {
		link.Description = *in.Description
		problems.validateText(FieldDescription, link.Description, MaxDescription)
	}
	in.validate(problems)
	in.ApplyTo(&link.LinkFlags)
	link.Visibility = in.resolve(link.Visibility, link.Visibility)
	if in.Status != nil && in.Status.Valid() {
		link.Status = *in.Status
	}
	if in.CheckDisabled != nil {
		link.CheckDisabled = *in.CheckDisabled
	}
	if in.CreatedAt != nil {
		link.CreatedAt = *in.CreatedAt
	}
	if in.Snapshots != nil {
		if link.Snapshots = *in.Snapshots; !link.Snapshots.Valid() {
			problems.add(FieldSnapshots, RuleExists)
		}
	}
	if in.Lists != nil {
		problems.validateRefs(FieldLists, *in.Lists)
	}
	if in.Tags != nil {
		problems.validateRefs(FieldTags, *in.Tags)
	}
	return problems.Err()
}

// ChangesMore reports whether the input changes more of a link than its texts, its URL, its lists and its tags.
func (in LinkInput) ChangesMore(link Link) bool {
	return in.resolve(link.Visibility, link.Visibility) != link.Visibility || !in.Match(link.LinkFlags) ||
		in.Status != nil && in.Status.Valid() && *in.Status != link.Status ||
		in.CheckDisabled != nil && *in.CheckDisabled != link.CheckDisabled ||
		in.Snapshots != nil && *in.Snapshots != link.Snapshots ||
		in.CreatedAt != nil && *in.CreatedAt != link.CreatedAt
}

// Ref refers to a list or a tag by id. The name counts if the id is zero or means nothing active that the user sees.
type Ref struct {
	ID   int64
	Name string
}

// The limits of the lists and tags of a link, and of those that one change attaches to links, keep responses
// and write transactions small. Those in the trash count, and private ones of other users. A link that has
// more already can keep or lose them: it got them by an undo, which gives it at most twice as many, or from a
// removed user's link.
const (
	MaxLinkLists   = 50
	MaxLinkFolders = 500 // of imports, merges and syncs instead: a browser may have one page in very many folders
	MaxLinkTags    = 200
	MaxPairs       = 100_000 // how many lists and tags one change attaches, once for each link
)

// CheckPairs returns a ValidationError if a change attaches too many lists and tags.
func CheckPairs(pairs int) error {
	if pairs <= MaxPairs {
		return nil
	}
	return TooMany(FieldEntities, 0, MaxPairs)
}

// TooMany returns a ValidationError for more than limit values in the input at a position.
func TooMany(field Field, index, limit int) error {
	return &ValidationError{Problems: []Problem{{Field: field, Index: index, Rule: RuleMaxCount, Limit: limit}}}
}
