package bookmarks

import (
	"strings"

	"waymark/internal/waymark"
)

// The names of tags, as normalName returns them, with which people and programs mark what is a flag here.
var (
	unreadTags   = strings.Fields("toread unread readlater")
	archivedTags = strings.Fields("archived")
	favoriteTags = strings.Fields("favorite favourite starred")
	flagTags     = tagsOfFlags()
)

func tagsOfFlags() map[string]waymark.LinkFlag {
	flags := map[string]waymark.LinkFlag{"linkdingarchived": waymark.FlagArchived, "linkdingbookmarksarchived": waymark.FlagArchived}
	for flag, tags := range map[waymark.LinkFlag][]string{waymark.FlagUnread: unreadTags, waymark.FlagArchived: archivedTags, waymark.FlagFavorite: favoriteTags} {
		for _, tag := range tags {
			flags[tag] = flag
		}
	}
	return flags
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
