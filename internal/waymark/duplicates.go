package waymark

import (
	"cmp"
	"slices"
	"strings"
)

// Duplicates are several links to one page, which can be merged into one of them.
type Duplicates struct {
	Links []Link // the oldest first
	Keep  LinkID // the one that stays
	URL   string // that it gets, one of Links
}

// MaxDuplicates limits the links of a group.
const MaxDuplicates = 100

// NewDuplicates returns links, of which keep stays. If that is zero, the oldest stays whose page is there, or else the
// oldest. It gets the URL of one whose page is there that is https and has no tracking parameters: its own, or else the
// oldest one. If there is none, it keeps its own.
func NewDuplicates(links []Link, keep LinkID) Duplicates {
	links = slices.Clone(links)
	slices.SortFunc(links, func(a, b Link) int { return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	d := Duplicates{Links: links, Keep: keep}
	isThere := func(l Link) bool { return l.Status != StatusBroken }
	if keep == 0 {
		d.Keep = links[max(0, slices.IndexFunc(links, isThere))].ID
	}
	d.URL = d.Kept().URL
	isGood := func(l Link) bool { return isThere(l) && strings.HasPrefix(l.URL, "https:") && !hasTracking(l.URL) }
	if best := slices.IndexFunc(links, isGood); best >= 0 && !isGood(d.Kept()) {
		d.URL = links[best].URL
	}
	return d
}

// Kept returns the link that stays, as it is.
func (d Duplicates) Kept() Link {
	return d.Links[slices.IndexFunc(d.Links, func(l Link) bool { return l.ID == d.Keep })]
}

// Others returns the links that do not stay.
func (d Duplicates) Others() []Link {
	return slices.DeleteFunc(slices.Clone(d.Links), func(l Link) bool { return l.ID == d.Keep })
}

// Source returns the link that has the URL which the merged one gets.
func (d Duplicates) Source() Link {
	kept := d.Kept()
	if i := slices.IndexFunc(d.Links, func(l Link) bool { return l.URL == d.URL }); kept.URL != d.URL && i >= 0 {
		return d.Links[i]
	}
	return kept
}

// Merged returns the link that stays as it is afterwards, without its lists and tags, and the descriptions that become
// private notes. A text that a person has typed comes before one from the page. Who sees it, and its flags, depend on the
// links of the same owner.
func (d Duplicates) Merged() (merged Link, notes []string) {
	merged = d.Kept()
	source, title, description := d.Source(), merged, merged
	for _, l := range d.Links {
		if title.FromPage.Has(TitleText) && !l.FromPage.Has(TitleText) {
			title = l
		}
		isTyped := !l.FromPage.Has(DescriptionText) && l.Description != ""
		if (description.FromPage.Has(DescriptionText) || description.Description == "") && isTyped {
			description = l
		}
		merged.CreatedAt = min(merged.CreatedAt, l.CreatedAt)
		if l.Owner == merged.Owner {
			merged.SeenAt = max(merged.SeenAt, l.SeenAt)
			merged.Visibility = max(merged.Visibility, l.Visibility)
			merged.Favorite = merged.Favorite || l.Favorite
			merged.Unread = merged.Unread && l.Unread
			merged.Archived = merged.Archived && l.Archived
		}
	}
	merged.Title, merged.Description = title.Title, description.Description
	merged.FromPage = merged.FromPage&^(TitleText|DescriptionText) | title.FromPage&TitleText | description.FromPage&DescriptionText
	if source.ID != merged.ID {
		merged.URL, merged.Status = source.URL, source.Status
	}
	for _, l := range d.Links {
		if l.Description != "" && l.Description != merged.Description && !slices.Contains(notes, l.Description) {
			notes = append(notes, l.Description)
		}
	}
	return merged, notes
}

// WeakURLKey returns what more URLs have in common than with URLKey: it also ignores the fragment, unless that looks
// like a path, and a name such as index.html at the end of the path.
func WeakURLKey(text string) string {
	key := URLKey(text)
	if scheme, _, _ := SplitScheme(text); scheme != "http" && scheme != "https" {
		return key
	}
	rest, fragment, _ := strings.Cut(key, "#")
	if strings.HasPrefix(fragment, "!") || strings.HasPrefix(fragment, "/") {
		fragment = "#" + fragment
	} else {
		fragment = ""
	}
	path, parameters, found := strings.Cut(rest, "?")
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 && strings.HasPrefix(path[slash+1:], "index.") {
		path = path[:slash]
	}
	if found {
		path += "?" + parameters
	}
	return path + fragment
}

// hasTracking reports whether a URL has one of the trackingParameters.
func hasTracking(url string) bool {
	rest, _, _ := strings.Cut(url, "#")
	_, parameters, _ := strings.Cut(rest, "?")
	for parameter := range strings.SplitSeq(parameters, "&") {
		if name, _, _ := strings.Cut(parameter, "="); isTracking(strings.ToLower(name)) {
			return true
		}
	}
	return false
}
