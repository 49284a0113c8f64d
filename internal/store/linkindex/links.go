package linkindex

import (
	"cmp"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Link is an active link as it is put into the index.
type Link struct {
	ID            int64
	Owner         waymark.UserID
	Scope         query.Scope // who sees the link
	Status        waymark.Status
	CheckResult   waymark.CheckResult
	Minutes       int // to read the text snapshot, 0 without one
	CheckDisabled bool
	waymark.LinkFlags
	CreatedAt   waymark.Time
	UpdatedAt   waymark.Time
	SeenAt      waymark.Time
	URL         string // the texts are as they were typed
	Title       string
	TitleKey    string // see waymark.SortKey
	Description string
	Lists, Tags []int64
}

// link is a link in the index. It has one pointer, which the garbage collector follows.
type link struct {
	id      int64
	owner   waymark.UserID
	created waymark.Time
	updated waymark.Time
	seen    waymark.Time // 0 for never

	// text is the URL, title and description with textEnd between them, see waymark.Plain. Those that were typed in
	// another way follow, each after textEnd: links with equal texts are sorted by them, and in titles capitals begin
	// words. Then come the key by which titles are sorted, and the numbers of the lists and tags: see numberAt.
	text                             string
	urlEnd, titleEnd, descriptionEnd uint32
	keyStart, labelsStart            uint32
	hostStart, hostEnd               uint16 // where the host is in the URL; both are 0 if it has none

	minutes        uint16
	flags          flags
	status, result uint8
	visibility     uint8 // see waymark.Visibility; 0 if the link was removed
}

// flags are what is either true or false for a link.
type flags uint16

const (
	unread flags = 1 << iota
	archived
	favorite
	checkDisabled
	accented         // a text was typed with accents
	hasCapitals      // the typed title has a letter for each one in text
	typedURL         // text has the URL as it was typed
	typedTitle       // and the title
	typedDescription // and the description
)

func (l *link) has(f flags) bool { return l.flags&f != 0 }

// textEnd separates texts. Valid UTF-8 does not contain it, so a text that is searched for is in one of them.
const textEnd = 0xFF

func (l *link) url() string         { return l.text[:l.urlEnd] }
func (l *link) title() string       { return l.text[l.urlEnd+1 : l.titleEnd] }
func (l *link) description() string { return l.text[l.titleEnd+1 : l.descriptionEnd] }

func (l *link) titleKey() string { return l.text[l.keyStart:l.labelsStart] }

// labels yields the numbers of the lists and tags.
func (l *link) labels(yield func(uint32) bool) {
	for at := int(l.labelsStart); at < len(l.text); {
		n, next := numberAt(l.text, at)
		if !yield(n) {
			return
		}
		at = next
	}
}

// numberAt returns a number that binary.AppendUvarint has written, and where the next one begins.
func numberAt(text string, at int) (n uint32, next int) {
	for shift := 0; ; shift += 7 {
		n |= uint32(text[at]&0x7F) << shift
		if at++; text[at-1] < 0x80 {
			return n, at
		}
	}
}

// scope returns who sees the link.
func (l *link) scope() query.Scope {
	switch waymark.Visibility(l.visibility) {
	case waymark.Public:
		return query.Public
	case waymark.Internal:
		return query.Internal
	}
	return query.Scope(l.owner)
}

// texts returns the texts as one.
func (l *link) texts() string { return l.text[:l.descriptionEnd] }

// folded returns the folded texts as one, with their accents.
func (l *link) folded() string {
	if !l.has(accented) {
		return l.texts()
	}
	var text []byte
	for _, which := range []flags{typedURL, typedTitle, typedDescription} {
		text = append(waymark.AppendFold(text, l.typed(which)), textEnd)
	}
	return string(text)
}

// typed returns one of the texts as it was typed. which is typedURL, typedTitle or typedDescription.
func (l *link) typed(which flags) string {
	rest := l.text[l.descriptionEnd:l.keyStart]
	for f := typedURL; l.has(which); f <<= 1 {
		if !l.has(f) {
			continue
		}
		text := rest[1:]
		if end := strings.IndexByte(text, textEnd); end >= 0 {
			text = text[:end]
		}
		if f == which {
			return text
		}
		rest = rest[1+len(text):]
	}
	switch which {
	case typedURL:
		return l.url()
	case typedTitle:
		return l.title()
	}
	return l.description()
}

// host returns the host of the URL, without user and port.
func (l *link) host() string { return l.text[l.hostStart:l.hostEnd] }

// site returns the host without www.; "" for an address of IPv6.
func (l *link) site() string {
	site := strings.TrimPrefix(l.host(), "www.")
	if strings.HasPrefix(site, "[") {
		return ""
	}
	return site
}

// path returns what follows the host of the URL, "" for a URL without a host.
func (l *link) path() string {
	url := l.url()
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		return url[i:]
	}
	return ""
}

// hostOf returns where the host of a URL begins and ends.
func hostOf(url string) (start, end int) {
	start = strings.Index(url, "://")
	if start < 0 {
		return 0, 0
	}
	start += len("://")
	end = len(url)
	if i := strings.IndexAny(url[start:], "/?#"); i >= 0 {
		end = start + i
	}
	start += strings.LastIndexByte(url[start:end], '@') + 1
	if i := strings.IndexByte(url[start:end], ':'); i >= 0 {
		end = start + i
	}
	return start, end
}

// Links are the links of the index, and what they have. Several goroutines may read them, but not while one changes
// them.
type Links struct {
	links   []link // sorted by id
	removed int    // how many of them were removed
	bytes   int    // of the texts of links
	labels  labels
	changes map[query.Scope]uint64 // how often links of a scope have changed

	mu     sync.Mutex // of what follows
	orders map[waymark.SortField][]int32
	counts map[string]cachedCount
}

// NewLinks returns no links.
func NewLinks() *Links {
	return &Links{labels: newLabels(), changes: map[query.Scope]uint64{}, orders: map[waymark.SortField][]int32{}, counts: map[string]cachedCount{}}
}

// cachedCount is a count, and what Changes was before.
type cachedCount struct {
	changes uint64
	links   int
}

// Len returns the number of links.
func (x *Links) Len() int { return len(x.links) - x.removed }

// Bytes returns about the memory that the links take, in bytes.
func (x *Links) Bytes() int64 {
	return int64(len(x.links))*int64(unsafe.Sizeof(link{})) + int64(x.bytes) + x.labels.bytes()
}

// positionOf returns the position of a link among links that are sorted by id.
func positionOf(links []link, id int64) (at int, ok bool) {
	return slices.BinarySearchFunc(links, id, func(l link, id int64) int { return cmp.Compare(l.id, id) })
}

// Update removes the links with some ids, and then adds links.
func (x *Links) Update(removed []int64, added []Link) {
	clear(x.orders)
	for _, id := range removed {
		if at, ok := positionOf(x.links, id); ok && x.links[at].visibility != 0 {
			x.remove(&x.links[at])
		}
	}
	known := x.links
	for _, l := range x.made(added) {
		x.count(&l, 1)
		if at, ok := positionOf(known, l.id); ok {
			x.links[at] = l
			x.removed--
		} else {
			x.links = append(x.links, l)
		}
	}
	byID := func(a, b link) int { return cmp.Compare(a.id, b.id) }
	if !slices.IsSortedFunc(x.links[max(0, len(known)-1):], byID) {
		slices.SortFunc(x.links, byID)
	}
	if x.removed > 1000 && x.removed > len(x.links)/4 {
		x.links = slices.DeleteFunc(x.links, func(l link) bool { return l.visibility == 0 })
		x.removed = 0
	}
}

func (x *Links) remove(l *link) {
	x.count(l, -1)
	*l = link{id: l.id}
	x.removed++
}

// count adds n to the numbers of which the link is a part.
func (x *Links) count(l *link, n int) {
	x.changes[l.scope()]++
	x.bytes += n * len(l.text)
	x.labels.count(l.labels, l.scope(), n)
}

// made returns links as the index has them. Their texts are parts of one text: that takes a tenth less memory than a
// text for each.
func (x *Links) made(added []Link) []link {
	links := make([]link, len(added))
	var text []byte
	ends := make([]int, len(added)) // of the text of each link, from its start
	for i := range added {
		start := len(text)
		text = links[i].set(&added[i], text)
		links[i].labelsStart = uint32(len(text) - start)
		for kind, ids := range [][]int64{List: added[i].Lists, Tag: added[i].Tags} {
			for _, id := range ids {
				text = binary.AppendUvarint(text, uint64(x.labels.number(Kind(kind), id)))
			}
		}
		ends[i] = len(text) - start
	}
	all := string(text)
	for i := range links {
		l := &links[i]
		l.text, all = all[:ends[i]], all[ends[i]:]
		start, end := hostOf(l.url())
		if end <= math.MaxUint16 {
			l.hostStart, l.hostEnd = uint16(start), uint16(end)
		}
	}
	return links
}

// set sets a link but for its text, labels and host. It appends the text.
func (l *link) set(from *Link, text []byte) []byte {
	*l = link{
		id: from.ID, owner: from.Owner, visibility: uint8(from.Scope.Visibility()), created: from.CreatedAt, updated: from.UpdatedAt, seen: from.SeenAt,
		minutes: uint16(from.Minutes), status: uint8(from.Status), result: uint8(from.CheckResult),
	}
	set := func(flag flags, on bool) {
		if on {
			l.flags |= flag
		}
	}
	set(unread, from.Unread)
	set(archived, from.Archived)
	set(favorite, from.Favorite)
	set(checkDisabled, from.CheckDisabled)
	start := len(text)
	add := func(flag flags, typed string) (end uint32) {
		folded := waymark.Fold(typed)
		plain := waymark.Plain(folded)
		text = append(text, plain...)
		set(flag, plain != typed)
		set(accented, plain != folded)
		if flag == typedTitle {
			set(hasCapitals, l.has(flag) && haveSameLetters(plain, typed))
		}
		return uint32(len(text) - start)
	}
	l.urlEnd = add(typedURL, from.URL)
	text = append(text, textEnd)
	l.titleEnd = add(typedTitle, from.Title)
	text = append(text, textEnd)
	l.descriptionEnd = add(typedDescription, from.Description)
	for i, typed := range []string{from.URL, from.Title, from.Description} {
		if l.has(typedURL << i) {
			text = append(append(text, textEnd), typed...)
		}
	}
	l.keyStart = uint32(len(text) - start)
	return append(text, from.TitleKey...)
}

// haveSameLetters reports whether each letter of a text is the plain form of one that was typed.
func haveSameLetters(plain, typed string) bool {
	for _, c := range typed {
		r, size := utf8.DecodeRuneInString(plain)
		if size == 0 || c != r && unicode.ToLower(c) != r && waymark.Plain(string(c)) != string(r) {
			return false
		}
		plain = plain[size:]
	}
	return plain == ""
}

// capitalAt reports whether the letter at a place in the title was typed as a capital, and the one before it
// was not.
func (l *link) capitalAt(at int) bool {
	if !l.has(hasCapitals) {
		return false
	}
	typed := l.typed(typedTitle)
	before, capital := false, false
	for i := range l.title() {
		c, size := utf8.DecodeRuneInString(typed)
		typed = typed[size:]
		before, capital = capital, unicode.ToLower(c) != c
		if i == at {
			break
		}
	}
	return capital && !before
}

// SetLabels sets lists or tags by id. The Scope of those that are not active any more is noScope.
func (x *Links) SetLabels(k Kind, changed map[int64]Label) {
	for id, to := range changed {
		l := &x.labels.all[x.labels.number(k, id)]
		x.labels.changes++
		x.labels.names += len(to.Name) - len(l.Name)
		l.Label = to
	}
}

// any reports whether a link has one of the lists and tags.
func (set labelSet) any(l *link) bool {
	for at := int(l.labelsStart); at < len(l.text); { // twice as fast as a range over l.labels
		n, next := numberAt(l.text, at)
		if set[n] {
			return true
		}
		at = next
	}
	return false
}

// scanned is the number of links from which on two goroutines read them. 100,000 links take 6 ms instead of 11.
const scanned = 5_000

// eachPart calls read for the parts of n elements, each in a goroutine of its own. They begin at multiples of 64.
func eachPart(n int, read func(part, from, to int)) {
	if n < scanned || runtime.GOMAXPROCS(0) == 1 {
		read(0, 0, n)
		return
	}
	half := n / 2 / 64 * 64
	var first sync.WaitGroup
	first.Go(func() { read(0, 0, half) })
	read(1, half, n)
	first.Wait()
}
