package waymark

// LinkFlags are what the owner of a link sets. They change nothing else of the link: it is
// found, checked and exported as before.
type LinkFlags struct {
	Unread   bool // to be read later
	Archived bool // done with, but kept: the pages leave it out where they list all links
	Favorite bool
}

// LinkFlag is one of the flags.
type LinkFlag int

// The flags.
const (
	FlagUnread LinkFlag = iota
	FlagArchived
	FlagFavorite
	linkFlagCount
)

// String returns the name of the flag, of its column and of its field in the API.
func (f LinkFlag) String() string {
	return [linkFlagCount]string{FlagUnread: "unread", FlagArchived: "archived", FlagFavorite: "favorite"}[f]
}

// FlagsInput has values of flags. In an input, nil keeps a flag; in a filter, it stands for both values.
type FlagsInput struct{ Unread, Archived, Favorite *bool }

// FlagValue is a flag and its value.
type FlagValue struct {
	Flag LinkFlag
	On   bool
}

// Values returns the flags that have a value.
func (in FlagsInput) Values() (values []FlagValue) {
	for f := range linkFlagCount {
		if on := *in.Of(f); on != nil {
			values = append(values, FlagValue{f, *on})
		}
	}
	return values
}

// Of returns the place of a value.
func (in *FlagsInput) Of(flag LinkFlag) **bool {
	switch flag {
	case FlagUnread:
		return &in.Unread
	case FlagArchived:
		return &in.Archived
	}
	return &in.Favorite
}

// ApplyTo sets the flags that have a value.
func (in FlagsInput) ApplyTo(flags *LinkFlags) {
	for _, v := range in.Values() {
		*flags.of(v.Flag) = v.On
	}
}

// Or returns the flags that are set in one of two links.
func (f LinkFlags) Or(other LinkFlags) LinkFlags {
	return LinkFlags{Unread: f.Unread || other.Unread, Archived: f.Archived || other.Archived, Favorite: f.Favorite || other.Favorite}
}

// Match reports whether all flags that have a value have it in flags.
func (in FlagsInput) Match(flags LinkFlags) bool {
	wanted := flags
	in.ApplyTo(&wanted)
	return wanted == flags
}

// Has reports whether a flag is set.
func (f LinkFlags) Has(flag LinkFlag) bool { return *f.of(flag) }

func (f *LinkFlags) of(flag LinkFlag) *bool {
	switch flag {
	case FlagUnread:
		return &f.Unread
	case FlagArchived:
		return &f.Archived
	}
	return &f.Favorite
}
