package bookmarks

import "waymark/internal/waymark"

// flagTags are the names of tags, as normalName returns them, with which people and programs say what is a flag here.
var flagTags = map[string]waymark.LinkFlag{
	"toread": waymark.FlagUnread, "unread": waymark.FlagUnread, "readlater": waymark.FlagUnread,
	"archived": waymark.FlagArchived, "linkdingarchived": waymark.FlagArchived, "linkdingbookmarksarchived": waymark.FlagArchived,
	"favorite": waymark.FlagFavorite, "favourite": waymark.FlagFavorite, "starred": waymark.FlagFavorite,
}

// setFlag sets a flag of the bookmark.
func (b *Bookmark) setFlag(flag waymark.LinkFlag, on bool) { *b.Flags.Of(flag) = &on }

// flagsFromTags replaces tags by the flags for which they stand. If the file has a flag in a field of its
// own, tags with its name are tags.
func (b *Bookmark) flagsFromTags() {
	said := b.Flags
	var tags []string
	for _, tag := range b.Tags {
		if flag, ok := flagTags[normalName(tag)]; ok && *said.Of(flag) == nil {
			b.setFlag(flag, true)
		} else {
			tags = append(tags, tag)
		}
	}
	b.Tags = tags
}

// writtenFlags returns the flags that a file needs: each that is set, and each that a tag of the
// bookmark would set.
func (b *Bookmark) writtenFlags() (flags waymark.FlagsInput) {
	for _, v := range b.Flags.Values() {
		if v.On {
			*flags.Of(v.Flag) = &v.On
		}
	}
	for _, tag := range b.Tags {
		if flag, ok := flagTags[normalName(tag)]; ok && *flags.Of(flag) == nil {
			*flags.Of(flag) = new(false)
		}
	}
	return flags
}
