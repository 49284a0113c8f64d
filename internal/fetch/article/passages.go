package article

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"waymark/internal/waymark"
)

// Placed is a passage and where it stands in a text: between two offsets in the text without white space.
type Placed struct {
	waymark.Passage
	Begin, End int
	Found      bool // else the text no longer has the passage
}

// maxPlaces is how many places of a quote are compared. A text of 2 MiB can have a million.
const maxPlaces = 1000

// Place finds passages in HTML that Sanitize has returned. Of several places with the text of a passage, it takes the one
// with the most of what stood around it, and of equal ones the one nearest to its position. White space and elements do
// not count. The passages that were found come first, in the order of the text.
func Place(cleaned string, passages []waymark.Passage) []Placed {
	if len(passages) == 0 {
		return nil
	}
	text := textOf(cleaned).letters
	placed := waymark.Map(passages, func(p waymark.Passage) Placed { return find(text, p) })
	slices.SortStableFunc(placed, func(a, b Placed) int {
		switch {
		case a.Found == b.Found:
			return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End))
		case a.Found:
			return -1
		}
		return 1
	})
	return placed
}

// find returns where a passage is in a text without white space.
func find(text string, p waymark.Passage) Placed {
	place := Placed{Passage: p}
	exact, prefix, suffix := lettersOf(p.Exact), lettersOf(p.Prefix), lettersOf(p.Suffix)
	if exact == "" {
		return place
	}
	needle, before := prefix+exact+suffix, len(prefix)
	if !strings.Contains(text, needle) {
		needle, before = exact, 0
	}
	best, distance, places, at := -1, 0, 0, 0
	for places < maxPlaces {
		next := strings.Index(text[at:], needle)
		if next < 0 {
			break
		}
		places++
		begin := at + next + before
		common := commonSuffix(text[:begin], prefix) + commonPrefix(text[begin+len(exact):], suffix)
		if d := max(begin-p.Position, p.Position-begin); common > best || common == best && d < distance {
			best, distance, place.Begin = common, d, begin
		}
		at += next + 1
	}
	// A short text can be at many places. None of them is the right one if hardly anything around it is the same.
	place.Found = places == 1 || places > 1 && best*4 >= len(prefix)+len(suffix)
	place.End = place.Begin + len(exact)
	return place
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Complete returns a quote with its position in HTML that Sanitize has returned, and with what stands around it there
// if it has no prefix or no suffix. A quote that is not found stays as it is.
func Complete(cleaned string, q waymark.Quote) (completed waymark.Quote, found bool) {
	t := textOf(cleaned)
	p := find(t.letters, waymark.Passage{Quote: q})
	if !p.Found {
		return q, false
	}
	q.Position = p.Begin
	if q.Prefix == "" {
		begin := t.offset(p.Begin)
		if strings.HasPrefix(t.spaced[begin:], " ") {
			begin++
		}
		before := []rune(t.spaced[:begin])
		q.Prefix = string(before[max(0, len(before)-waymark.MaxQuoteAround):])
	}
	if q.Suffix == "" {
		after := []rune(t.spaced[t.offset(p.End):])
		q.Suffix = string(after[:min(len(after), waymark.MaxQuoteAround)])
	}
	return q, true
}

// quotedText is a text twice.
type quotedText struct {
	letters string // without white space
	spaced  string // with one space in place of each run of white space, and between elements that begin on a new line
}

// offset returns how much of spaced has the first letters, without the space after them.
func (t quotedText) offset(letters int) int {
	for i := range len(t.spaced) {
		if letters == 0 {
			return i
		}
		if t.spaced[i] != ' ' {
			letters--
		}
	}
	return len(t.spaced)
}

func textOf(cleaned string) quotedText {
	var letters, spaced strings.Builder
	eachCharacter(cleaned, func(raw, character string) {
		switch {
		case isSpace(character), character == "" && beginsLine(raw):
			spaced.WriteByte(' ')
		default:
			letters.WriteString(character)
			spaced.WriteString(character)
		}
	})
	return quotedText{letters.String(), strings.Join(strings.Fields(spaced.String()), " ")}
}

func isSpace(character string) bool {
	r, size := utf8.DecodeRuneInString(character)
	return size > 0 && unicode.IsSpace(r)
}

// beginsLine reports whether a space stands in the text for a tag.
func beginsLine(tag string) bool {
	name := strings.Trim(tag, "</>")
	if end := strings.IndexAny(name, " /"); end >= 0 {
		name = name[:end]
	}
	a := atom.Lookup([]byte(name))
	return blocks[a] || a == atom.Br || a == atom.Td || a == atom.Th
}

// lettersOf returns a quote without white space, as textOf does.
func lettersOf(quote string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, clean(quote))
}

// eachCharacter calls do for each tag and each character of HTML that Sanitize has returned, with the raw HTML. The
// character of a tag is "".
func eachCharacter(cleaned string, do func(raw, character string)) {
	const maxReference = 12 // bytes of a character reference
	z := html.NewTokenizer(strings.NewReader(cleaned))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			for raw != "" {
				_, size := utf8.DecodeRuneInString(raw)
				if end := strings.IndexByte(raw[:min(len(raw), maxReference)], ';'); raw[0] == '&' && end > 0 {
					size = end + 1
				}
				do(raw[:size], html.UnescapeString(raw[:size]))
				raw = raw[size:]
			}
		default:
			do(raw, "")
		}
	}
}

// Mark returns HTML that Sanitize or Number has returned with the passages that were found in <mark> elements, at least
// one for each part between two tags. The first one of a passage has the id passage- with its number. Those of passages
// with notes have the class noted, and what aside returns stands below the paragraph.
func Mark(cleaned string, placed []Placed, aside func(waymark.Passage) string) string {
	var bounds []int
	for _, p := range placed {
		if p.Found {
			bounds = append(bounds, p.Begin, p.End)
		}
	}
	if len(bounds) == 0 {
		return cleaned
	}
	slices.Sort(bounds)
	var noted []Placed
	if aside != nil {
		noted = slices.DeleteFunc(slices.Clone(placed), func(p Placed) bool { return !p.Found || p.Note == "" })
	}
	var b strings.Builder
	m := marker{begun: map[waymark.PassageID]bool{}}
	at := 0 // letters before this place
	eachCharacter(cleaned, func(raw, character string) {
		for len(bounds) > 0 && at >= bounds[0] {
			m.end(&b)
			m.here = m.here[:0]
			for i := range placed {
				if p := &placed[i]; p.Found && p.Begin <= at && at < p.End {
					m.here = append(m.here, p)
				}
			}
			bounds = bounds[1:]
		}
		switch {
		case character == "":
			m.end(&b)
		case !isSpace(character):
			m.begin(&b)
			at += len(character)
		}
		b.WriteString(raw)
		if endsParagraph(raw) {
			for len(noted) > 0 && noted[0].End <= at {
				b.WriteString(aside(noted[0].Passage))
				noted = noted[1:]
			}
		}
	})
	m.end(&b)
	return b.String()
}

// endsParagraph reports whether any element may follow raw HTML.
func endsParagraph(raw string) bool {
	switch raw {
	case "</p>", "</pre>", "</h2>", "</h3>", "</h4>", "</h5>", "</h6>":
		return true
	}
	return false
}

// marker writes the tags of marks.
type marker struct {
	here  []*Placed // the passages at this place
	begun map[waymark.PassageID]bool
	open  int // elements
}

// begin opens a mark for each passage that begins here, or one for all that go on.
func (m *marker) begin(b *strings.Builder) {
	if m.open > 0 {
		return
	}
	for i, p := range m.here {
		id := ""
		if !m.begun[p.ID] {
			id = fmt.Sprintf(` id="passage-%d"`, p.ID)
		} else if m.open > 0 || i < len(m.here)-1 {
			continue
		}
		if p.Note != "" {
			id += ` class="noted"`
		}
		fmt.Fprintf(b, "<mark%s>", id)
		m.begun[p.ID] = true
		m.open++
	}
}

// end closes the open marks.
func (m *marker) end(b *strings.Builder) {
	b.WriteString(strings.Repeat("</mark>", m.open))
	m.open = 0
}
