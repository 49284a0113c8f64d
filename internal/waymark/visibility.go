package waymark

import "fmt"

// Visibility controls who may see an entity besides its owner.
type Visibility int

// The visibilities. The API and the database use the same numbers.
const (
	Public   Visibility = 1 // all users, and guests if the operator allows guests
	Internal Visibility = 2 // all users
	Private  Visibility = 3 // only the owner
)

// Valid reports whether v is one of the three visibilities.
func (v Visibility) Valid() bool { return v >= Public && v <= Private }

// String returns the name of v in lower case.
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

// ParseVisibility parses the names that String returns.
func ParseVisibility(name string) (Visibility, error) {
	for v := Public; v <= Private; v++ {
		if name == v.String() {
			return v, nil
		}
	}
	return 0, fmt.Errorf("invalid visibility %q: use public, internal or private", name)
}

// VisibilityInput is a user's input for the visibility of an entity, in either of the two
// forms that clients send. Visibility takes precedence over Private. Nil means not sent.
type VisibilityInput struct {
	Visibility *Visibility
	Private    *bool
}

// resolve returns the new visibility of an entity. The current visibility is zero for a
// new entity, which gets fallback if the input is empty. Private false makes an entity
// public, except that an internal one stays internal.
func (in VisibilityInput) resolve(current, fallback Visibility) Visibility {
	switch {
	case in.Visibility != nil:
		return *in.Visibility
	case in.Private != nil && *in.Private:
		return Private
	case in.Private != nil && current != Internal:
		return Public
	case current == 0:
		return fallback
	}
	return current
}

func (in VisibilityInput) validate(problems *ValidationError) {
	if in.Visibility != nil && !in.Visibility.Valid() {
		problems.add(FieldVisibility, RuleExists)
	}
}
