package web

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// flagChanges are the changes of flags that pages offer, by the names that the texts about them have.
var flagChanges = map[string]waymark.FlagsInput{
	"unread":     {Unread: new(true)},
	"read":       {Unread: new(false)},
	"favorite":   {Favorite: new(true)},
	"unfavorite": {Favorite: new(false)},
	"archive":    {Archived: new(true)},
	"unarchive":  {Archived: new(false)},
	"done":       {Unread: new(false), Archived: new(true)},
}

// flagText returns the key of a text about a change or a flag.
func flagText(kind, name string) string { return "flags." + kind + "-" + name }

// flagChoices are the flags in the order of the pages, with the changes that set them and unset them.
var flagChoices = []struct {
	flag       waymark.LinkFlag
	set, unset string
	icon, key  string
}{
	{waymark.FlagUnread, "unread", "read", "circle-dot", "u"},
	{waymark.FlagFavorite, "favorite", "unfavorite", "star", "f"},
	{waymark.FlagArchived, "archive", "unarchive", "archive", "a"},
}

type flagButton struct {
	Path   string // to which it sends, with the path of the base URL
	Icon   string
	Key    string // of the keyboard
	Name   string // of the flag
	Label  string // what screen readers say: the name of the flag and the title of the link
	Title  string // what it does
	On     bool
	Leaves bool // the change takes the link out of the page
}

// flagButtons returns the buttons of a link on a page that shows links with some flags.
func flagButtons(c page.Clock, base string, link *waymark.Link, shown waymark.FlagsInput) []flagButton {
	buttons := make([]flagButton, len(flagChoices))
	for i, choice := range flagChoices {
		name := choice.flag.String()
		b := flagButton{Icon: choice.icon, Key: choice.key, On: link.Has(choice.flag), Name: c.T("filter." + name), Label: c.T("flags."+name+"-of", "title", link.Title)}
		change := choice.set
		switch {
		case choice.flag == waymark.FlagArchived && link.Unread:
			b.Icon, b.On, b.Name, b.Label, change = "circle-check", false, c.T("flags.do-done"), c.T("flags.done-of", "title", link.Title), "done"
		case b.On:
			change = choice.unset
		}
		b.Path, b.Title = base+linkPath(link.ID)+"/mark/"+change, c.T(flagText("do", change))
		after := link.LinkFlags
		flagChanges[change].ApplyTo(&after)
		b.Leaves = shown.Match(link.LinkFlags) && !shown.Match(after)
		buttons[i] = b
	}
	return buttons
}

// flagNames are the flags by their names in searches.
var flagNames = map[string]waymark.LinkFlag{"unread": waymark.FlagUnread, "archived": waymark.FlagArchived, "favorite": waymark.FlagFavorite}
