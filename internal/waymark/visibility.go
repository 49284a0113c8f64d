package waymark

import "fmt"

// Visibility says who may see an entry besides its owner.
type Visibility int

// The visibilities, with the numbers that the API and the database use.
const (
	Public   Visibility = 1 // anyone with an account; guests too, where the operator lets them in
	Internal Visibility = 2 // anyone with an account
	Private  Visibility = 3 // the owner alone
)

// Valid tells whether v is one of the three.
func (v Visibility) Valid() bool { return v >= Public && v <= Private }

// String returns the word for v.
func (v Visibility) String() string {
	switch v {
	case Public:
		return "public"
	case Internal:
		return "internal"
	case Private:
		return "private"
	}
	return fmt.Sprintf("visibility %d", int(v))
}

// ParseVisibility understands the words that String returns.
func ParseVisibility(word string) (Visibility, error) {
	for v := Public; v <= Private; v++ {
		if word == v.String() {
			return v, nil
		}
	}
	return 0, fmt.Errorf("visibility %q is not known: use public, internal or private", word)
}

// VisibilityInput is what somebody says about who may see an entry, in either of the two
// ways that clients have. Nil means not said.
type VisibilityInput struct {
	Visibility *Visibility
	Private    *bool
}

// resolve returns the visibility that follows from s for an entry that has v now,
// zero for a new one, which gets fallback where nothing is said.
func (s VisibilityInput) resolve(v, fallback Visibility) Visibility {
	switch {
	case s.Visibility != nil:
		return *s.Visibility
	case s.Private != nil && *s.Private:
		return Private
	case s.Private != nil && v != Internal:
		return Public
	case v == 0:
		return fallback
	}
	return v
}

func (s VisibilityInput) validate(e *ValidationError) {
	if s.Visibility != nil && !s.Visibility.Valid() {
		e.Add("visibility", "The selected visibility is invalid.")
	}
}
