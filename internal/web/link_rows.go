package web

import (
	"html/template"

	"waymark/internal/waymark"
)

// linkWriter writes links as rows and cards, one method for each piece of them.
type linkWriter struct {
	*visit
	htmlWriter
	base  template.HTML // the address of the page of a link, without the id
	names int           // the lists and tags that are shown with a link
}

// newLinkWriter returns a writer for a view, with space for n links.
func newLinkWriter(v *visit, view string, n int) *linkWriter {
	w := &linkWriter{visit: v, base: escaped(v.url("/links/")), names: maxNames}
	if view == string(waymark.CompactView) {
		w.names = maxCompactNames
	}
	w.html.Grow(n * usualLinkSize)
	return w
}

// usualLinkSize is the size of the HTML of most links, in bytes.
const usualLinkSize = 2 << 10

// linkWriter returns a writer for the links of the page.
func (p linksPage) linkWriter() *linkWriter {
	n := 0
	for _, d := range p.Days {
		n += len(d.Links)
	}
	return newLinkWriter(p.v, p.View, n)
}

// Rows returns the links of the page as rows, grouped by day.
func (p linksPage) Rows() template.HTML {
	w := p.linkWriter()
	links := w.locale.sentence("links.heading")
	for i, d := range p.Days {
		if i > 0 {
			w.add("\n")
		}
		if d.Heading == "" {
			w.add(`<h2 class="hush">`, links, `</h2>`)
		} else {
			w.add(`<h2 class="day">`, escaped(d.Heading), `</h2>`)
		}
		w.add("\n", `<ol class="links" role="list" aria-label="`, links, `">`)
		for _, l := range d.Links {
			w.row(l)
		}
		w.add(`</ol>`)
	}
	return w.written()
}

// Cards returns the links of the page as cards.
func (p linksPage) Cards() template.HTML {
	w := p.linkWriter()
	links := w.locale.sentence("links.heading")
	w.add(`<h2 class="hush">`, links, `</h2><ol class="cards" role="list" aria-label="`, links, `">`)
	for _, d := range p.Days {
		for _, l := range d.Links {
			w.card(l)
		}
	}
	w.add(`</ol>`)
	return w.written()
}

// Row returns the row of a link that was changed.
func (r changedRow) Row() template.HTML {
	w := newLinkWriter(r.v, r.View, 1)
	if r.View == string(waymark.CardsView) {
		w.card(r.Link)
	} else {
		w.row(r.Link)
	}
	return w.written()
}

func (w *linkWriter) row(l linkView) {
	w.add(`<li class="link" id="link-`, number(l.ID), `">`, "\n")
	if l.Mine {
		w.add(`<label class="pick">`)
		w.tile(l)
		w.tickBox(l)
		w.add(`</label>`)
	} else {
		w.add(`<span class="pick">`)
		w.tile(l)
		w.add(`</span>`)
	}
	w.add("\n", `<div class="what"><h3 class="title">`)
	w.title(l)
	w.add(`</h3>`, "\n", `<p class="about"><span class="host">`, l.Host, `</span>`)
	switch {
	case l.Excerpt != "":
		w.add(`<span class="desc"><span class="hush">`, w.locale.sentence("links.in-snapshot"), `</span> `, l.Excerpt, `</span>`)
	case l.Description != "":
		w.add(`<span class="desc">`, l.Description, `</span>`)
	}
	w.add(`</p>`, "\n")
	w.filed(l)
	w.add(`</div>`, "\n", `<div class="aside">`)
	w.badges(l)
	w.add(`<a href="`, w.address(l), `" aria-label="`, w.locale.sentence("links.details", "title", l.EscapedTitle, "time", escaped(l.Saved.Full)), `" data-key="i"><time datetime="`, escaped(l.Saved.ISO), `" title="`, escaped(l.Saved.Full), `">`, escaped(l.Saved.Short), `</time></a></div>`, "\n")
	w.actions(l)
	w.add(`</li>`)
}

func (w *linkWriter) card(l linkView) {
	w.add(`<li class="card" id="link-`, number(l.ID), `">`, "\n")
	w.cover(l)
	w.add("\n")
	if l.Mine {
		w.add(`<label class="pick">`)
		w.tickBox(l)
		w.add(`</label>`)
	}
	w.add("\n", `<h3 class="title clamp">`)
	w.title(l)
	w.add(`</h3>`, "\n", `<p class="about"><span class="host">`, l.Host, `</span>`)
	w.badges(l)
	w.add(`<a class="quiet" href="`, w.address(l), `" aria-label="`, w.locale.sentence("links.details", "title", l.EscapedTitle, "time", escaped(l.Saved.Full)), `" data-key="i"><time datetime="`, escaped(l.Saved.ISO), `">`, escaped(l.Saved.Short), `</time></a></p>`, "\n")
	w.filed(l)
	w.actions(l)
	w.add(`</li>`)
}

// tile writes the tile at the start of a row.
func (w *linkWriter) tile(l linkView) {
	w.add(`<span class="tile h`, number(l.Hue), `" aria-hidden="true">`, l.Tile(), `</span>`)
}

// tickBox writes the box that selects a link.
func (w *linkWriter) tickBox(l linkView) {
	w.add(`<input type="checkbox" name="models" value="`, number(l.ID), `" aria-label="`, w.locale.sentence("links.select", "title", l.EscapedTitle), `" data-key="x">`)
}

// cover writes the top of a card.
func (w *linkWriter) cover(l linkView) {
	element := template.HTML("span")
	if l.Address == "" {
		w.add(`<span class="cover h`, number(l.Hue), `" aria-hidden="true">`)
	} else {
		element = "a"
		w.add(`<a class="cover h`, number(l.Hue), `" href="`, escaped(string(l.Address)), `" `, template.HTML(w.outside()), ` tabindex="-1" aria-hidden="true">`)
	}
	if l.Thumbnail != nil {
		w.add(l.Thumbnail.img())
	} else {
		for _, text := range l.Cover {
			w.add(escaped(text), `<wbr>`)
		}
	}
	w.add(`</`, element, `>`)
}

// title writes the title, which leads to the site if pages may contain its address. The style sheet
// prints the address.
func (w *linkWriter) title(l linkView) {
	if l.Address == "" {
		w.add(`<a href="`, w.address(l), `" data-print="`, escaped(l.URL), `" data-key="o">`, l.MarkedTitle, `</a>`)
		return
	}
	w.add(`<a href="`, escaped(string(l.Address)), `" `, template.HTML(w.outside()), ` data-key="o">`, l.MarkedTitle, `</a>`)
}

// filed writes the owner, if it is not the user, and the lists and tags.
func (w *linkWriter) filed(l linkView) {
	n := w.names
	if l.Owner != "" {
		n-- // for their name
	}
	l = l.first(n)
	names := l.Filed()
	if names == "" && l.Owner == "" {
		return
	}
	w.add(`<p class="filed">`)
	if l.Owner != "" {
		w.add(`<a class="quiet" href="`, escaped(w.url("/links?"+queryOf("by", l.Owner))), `"><bdi>`, escaped(l.Owner), `</bdi></a>`)
	}
	w.add(names)
	if l.More > 0 {
		w.add(`<a class="quiet more" href="`, w.address(l), `" aria-label="`, escaped(w.t("links.more-names-of", "n", l.More, "title", l.Title)), `">`, escaped(w.t("links.more-names", "n", l.More)), `</a>`)
	}
	w.add(`</p>`)
}

// badges writes what is unusual about a link.
func (w *linkWriter) badges(l linkView) {
	switch l.Status {
	case "broken":
		w.add(`<span class="badge bad">`, icon("unlink"), w.locale.sentence("links.broken"), `</span>`)
	case "moved":
		w.add(`<span class="badge warn">`, icon("arrow-up-right"), w.locale.sentence("links.moved"), `</span>`)
	}
	switch l.Health {
	case "":
	case "dead": // once or twice: it is not broken yet
		w.add(`<span class="badge warn">`, icon(healthIcons[l.Health]), w.locale.sentence("links.dead"), `</span>`)
	default:
		w.quietMark(healthIcons[l.Health], w.locale.sentence("filter."+l.Health))
	}
	if l.Visibility != "" {
		w.quietMark(visibilityIcons[l.Visibility], w.locale.sentence("visibility."+l.Visibility))
	}
}

// quietMark writes an icon with a text for screen readers and the pointer.
func (w *linkWriter) quietMark(mark string, text template.HTML) {
	w.add(`<span title="`, text, `">`, icon(mark), `<span class="hush">`, text, `</span></span>`)
}

// healthIcons are the icons of what the last visit has found.
var healthIcons = map[string]string{"dead": "search-x", "blocked": "eye-off", "unsure": "circle-alert"}

// visibilityIcons are the icons of the visibilities.
var visibilityIcons = map[string]string{"public": "globe", "internal": "users", "private": "lock"}

// actions writes what the user can do with a link of theirs.
func (w *linkWriter) actions(l linkView) {
	if !l.Mine {
		return
	}
	address := w.address(l)
	w.add(`<div class="acts"><a class="ib" href="`, address, `/edit" aria-label="`, w.locale.sentence("links.edit", "title", l.EscapedTitle), `" title="`, w.locale.sentence("links.edit-key"), `" data-key="e" data-edit>`, icon("pencil"), `</a>`)
	w.add(`<button class="ib bad" formaction="`, address, `/trash" aria-label="`, w.locale.sentence("links.trash", "title", l.EscapedTitle), `" title="`, w.locale.sentence("links.trash-key"), `" data-key="#" data-removes>`, icon("trash-2"), `</button></div>`)
}

// address returns the address of the page of a link.
func (w *linkWriter) address(l linkView) template.HTML {
	return w.base + number(l.ID)
}
