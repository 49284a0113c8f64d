package waymark

import "strings"

// Passage is a text that a user has marked in the text of a link, which can be another user's. Only the user sees it.
type Passage struct {
	ID    PassageID
	Owner UserID
	Link  LinkID
	Quote
	Note      string
	CreatedAt Time
	UpdatedAt Time
}

// Quote is a text with what stands around it, the text quote of the W3C's Web Annotation Data Model. It is found again
// after the page has changed around it.
type Quote struct {
	Exact          string
	Prefix, Suffix string // "" if they are not known
	Position       int    // where Exact was last found: a hint, see article.Place
}

// Limits of passages.
const (
	MaxPassage     = 5000 // characters of Quote.Exact
	MaxQuoteAround = 32   // characters of Quote.Prefix and of Quote.Suffix
	MaxPassages    = 500  // of a user on a link: the reader shows all
)

// PassageInput is a user's input for a new passage, or for an existing one, in which only the note can change.
type PassageInput struct {
	Quote
	Note *string
}

// NewPassage returns the passage that owner marks in a link from in, or a ValidationError.
func NewPassage(owner UserID, link LinkID, in PassageInput) (Passage, error) {
	in.Exact = strings.TrimSpace(in.Exact)
	p := Passage{Owner: owner, Link: link, Quote: in.Quote}
	problems := &ValidationError{}
	if !hasVisible(p.Exact) {
		p.Exact = ""
	}
	if problems.validateRequired(FieldExact, p.Exact) {
		problems.validateText(FieldExact, p.Exact, MaxPassage)
	}
	problems.validateText(FieldPrefix, p.Prefix, MaxQuoteAround)
	problems.validateText(FieldSuffix, p.Suffix, MaxQuoteAround)
	return p, JoinInvalid(problems.Err(), in.Apply(&p))
}

// Apply sets the note of passage from in. It returns a ValidationError if the input breaks a rule; the passage must then
// be discarded.
func (in PassageInput) Apply(passage *Passage) error {
	problems := &ValidationError{}
	if in.Note != nil {
		passage.Note = strings.TrimSpace(*in.Note)
	}
	problems.validateText(FieldText, passage.Note, MaxNote)
	return problems.Err()
}

// Searched returns the texts of a passage as searches read them.
func (p *Passage) Searched() string {
	return Plain(strings.Join(strings.Fields(p.Exact+" "+p.Note), " "))
}
