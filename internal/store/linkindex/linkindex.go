// Package linkindex keeps the searchable data of all active links in memory: folded texts, status,
// times, and the ids of lists and tags. It finds and counts exactly the links that satisfy a query,
// in every order. It runs no SQL and does not know users: package searchindex fills the index from
// the database and keeps it up to date.
//
// The links of a scope are stored in segments of up to 65,536 links. A segment is a few large
// arrays without pointers, so that the garbage collector has nothing to scan: a text is searched by
// reading one array from its beginning to its end. An edited link is appended again; Compact later
// removes its old data.
package linkindex

import (
	"slices"

	"waymark/internal/waymark"
)

// Link is the data of an active link in the index.
type Link struct {
	ID            int64
	Owner         int64
	Scope         int64 // who sees the link: the column visible_to
	Status        waymark.Status
	CheckResult   waymark.CheckResult
	CheckDisabled bool
	waymark.LinkFlags
	CreatedAt   waymark.Time
	UpdatedAt   waymark.Time
	URL         string // the texts are not folded
	Title       string
	Description string
	Lists, Tags []int64
}

// Index is the index of all active links. Find may be called from many goroutines, but
// not at the same time as a method that changes the index.
type Index struct {
	scopes    []*scope
	byKey     map[int64]uint32 // the position in scopes of each scope
	locations map[uint64]*locationPage
	labels    labels
	hosts     hosts
	links     int
	clipped   bool // Clip was called: memory is reserved for few links at a time
}

// scope has the links of one scope.
type scope struct {
	key      int64 // the column visible_to
	segments []*segment
	filling  int         // the position of the segment to which links are appended
	live     int         // the number of links
	labeled  labelCounts // how many links have each of the lists and tags
	changes  uint64      // is increased whenever the links change
	orders   orders
}

// linkPosition is the position of a link in its scope: the segment and the position in it.
type linkPosition uint32

func newPosition(segment, position int) linkPosition {
	return linkPosition(segment<<segmentBits | position)
}

func (p linkPosition) segment() int  { return int(p >> segmentBits) }
func (p linkPosition) position() int { return int(p & (segmentSize - 1)) }

// location is where a link is stored. The zero value means that the link is not stored.
type location struct {
	scope uint32 // its position in Index.scopes, plus one
	linkPosition
}

// locationPage has the locations of links with consecutive ids, in a third of a map's memory.
type locationPage struct {
	used      int
	locations [locationPageSize]location
}

const locationPageSize = 4096

// New returns an empty index.
func New() *Index {
	return &Index{byKey: map[int64]uint32{}, locations: map[uint64]*locationPage{}, labels: newLabels(), hosts: newHosts()}
}

// Len returns the number of links.
func (x *Index) Len() int { return x.links }

// Update replaces links: it removes those with the given ids, then adds links. The ids
// of replaced links must be among the removed ones; ids of unknown links have no effect.
func (x *Index) Update(removed []int64, added []Link) {
	changes := map[*scope]*change{}
	changeOf := func(s *scope) *change {
		if changes[s] == nil {
			changes[s] = &change{}
		}
		return changes[s]
	}
	for _, id := range removed {
		at, ok := x.take(id)
		if !ok {
			continue
		}
		s := x.scopes[at.scope-1]
		s.remove(at.linkPosition)
		x.links--
		c := changeOf(s)
		c.removed = append(c.removed, at.linkPosition)
	}
	for s, c := range changes { // before anything is added, because the orders find a link by its id
		s.orders.remove(s, c.removed)
	}
	for i := range added {
		link := &added[i]
		at := x.scopeAt(link.Scope)
		s := x.scopes[at]
		placed := s.add(link, x, !x.clipped)
		x.put(link.ID, location{at + 1, placed})
		x.links++
		c := changeOf(s)
		c.added = append(c.added, placed)
	}
	for s, c := range changes {
		s.orders.add(s, c.added)
		s.changes++
	}
}

// Changes returns a number that increases whenever links in the given scopes, or lists or tags,
// change. While the number is the same, queries of these scopes have the same results.
func (x *Index) Changes(groups [][]int64) uint64 {
	n := x.labels.changes
	for _, s := range x.existing(slices.Concat(groups...)) {
		n += s.changes
	}
	return n
}

// LabelChanges returns a number that increases whenever lists or tags change.
func (x *Index) LabelChanges() uint64 { return x.labels.changes }

// change is what one update changes in a scope.
type change struct{ removed, added []linkPosition }

// existing returns the scopes with these keys that have had links.
func (x *Index) existing(keys []int64) []*scope {
	var scopes []*scope
	for _, key := range keys {
		if at, ok := x.byKey[key]; ok {
			scopes = append(scopes, x.scopes[at])
		}
	}
	return scopes
}

// scopeAt returns the position of a scope in x.scopes, and adds it if it is new.
func (x *Index) scopeAt(key int64) uint32 {
	at, ok := x.byKey[key]
	if !ok {
		at = uint32(len(x.scopes))
		x.byKey[key] = at
		x.scopes = append(x.scopes, &scope{key: key})
	}
	return at
}

// placeOf returns the number of the page with the location of a link, and the position in it.
func placeOf(id int64) (page, position uint64) {
	return uint64(id) / locationPageSize, uint64(id) % locationPageSize
}

// locationOf returns the location of a link. ok is false if the link is not stored.
func (x *Index) locationOf(id int64) (at location, ok bool) {
	number, position := placeOf(id)
	page := x.locations[number]
	if page == nil {
		return location{}, false
	}
	at = page.locations[position]
	return at, at.scope != 0
}

// put stores the location of a link.
func (x *Index) put(id int64, at location) {
	number, position := placeOf(id)
	page := x.locations[number]
	if page == nil {
		page = &locationPage{}
		x.locations[number] = page
	}
	l := &page.locations[position]
	if l.scope == 0 {
		page.used++
	}
	*l = at
}

// take returns the location of a link and removes it from the table of locations.
func (x *Index) take(id int64) (at location, ok bool) {
	if at, ok = x.locationOf(id); !ok {
		return location{}, false
	}
	number, position := placeOf(id)
	page := x.locations[number]
	page.locations[position] = location{}
	if page.used--; page.used == 0 {
		delete(x.locations, number)
	}
	return at, true
}

// add appends a link to the segment that is being filled. When this segment is full, add continues
// with an emptied segment or a new one. If many links follow, it reserves memory for them.
func (s *scope) add(link *Link, x *Index, manyFollow bool) linkPosition {
	if len(s.segments) == 0 || s.segments[s.filling].full() {
		next := &segment{}
		if len(s.segments) > 0 {
			if empty := s.finish(s.segments[s.filling]); manyFollow {
				next = empty
			}
		}
		s.filling = slices.IndexFunc(s.segments, func(seg *segment) bool { return seg.len() == seg.dead })
		if s.filling < 0 {
			s.filling = len(s.segments)
			s.segments = append(s.segments, nil)
		}
		s.segments[s.filling] = next
	}
	seg := s.segments[s.filling]
	if manyFollow {
		seg.reserve(link)
	}
	s.live++
	at := newPosition(s.filling, seg.append(link, &x.labels, &x.hosts))
	s.countLabels(at, 1)
	return at
}

// finish releases the reserved memory of a segment, and makes the bitmaps of its frequent lists and
// tags. It returns an empty segment that has the reserved memory.
func (s *scope) finish(seg *segment) (empty *segment) {
	empty = seg.clip()
	byNumber := make([]bitmap, len(s.labeled)*labelPageSize) // looking them up in a map takes longer
	seg.frequent = map[uint32]bitmap{}
	for label := range s.labeled.atLeast(s.live/frequentPart + 1) {
		byNumber[label] = newBitmap(seg.len())
		seg.frequent[label] = byNumber[label]
	}
	if len(seg.frequent) > 0 {
		for position := range seg.len() {
			for label := range seg.labelsOf(position) {
				if links := byNumber[label]; links != nil {
					links.set(position)
				}
			}
		}
	}
	return empty
}

// frequentPart defines which lists and tags are frequent: more than one in 16 links of a scope have
// them. Segments have a bitmap of the links of each frequent list or tag, which is faster than a
// search. The bitmap also takes less memory than storing the number of the list or tag with each link.
const frequentPart = 16

// remove marks a link as removed.
func (s *scope) remove(at linkPosition) {
	s.countLabels(at, -1)
	s.segments[at.segment()].remove(at.position())
	s.live--
}

// countLabels adds n to the number of links that have the lists and tags of a link.
func (s *scope) countLabels(at linkPosition, n int) {
	for label := range s.segments[at.segment()].labelsOf(at.position()) {
		s.labeled.add(label, n)
	}
}

// Compact removes the old data of edited and deleted links from one segment in which at least a
// quarter is old. This takes some milliseconds. Compact reports whether there was such a segment.
func (x *Index) Compact() bool { return x.compact(1024) }

// compact compacts a segment with that many removed links or more.
func (x *Index) compact(minDead int) bool {
	for at, s := range x.scopes {
		for i, seg := range s.segments {
			if seg.dead < minDead || seg.dead*4 < seg.len() {
				continue
			}
			moved := seg.compact(func(id int64, position int) {
				x.put(id, location{uint32(at) + 1, newPosition(i, position)})
			})
			s.finish(seg)
			s.orders.move(i, moved)
			return true
		}
	}
	return false
}

// emptySize is about the memory of an empty index, in bytes.
const emptySize = 1024

// Bytes returns the memory that the index takes, in bytes.
func (x *Index) Bytes() int64 {
	n := int64(emptySize) + int64(len(x.locations))*(locationPageSize*8+64) + x.labels.bytes() + x.hosts.bytes()
	for _, s := range x.scopes {
		for _, seg := range s.segments {
			n += seg.bytes()
		}
		n += s.orders.bytes() + s.labeled.bytes()
	}
	return n
}

// Clip releases memory reserved for more links. Call it when a new index has all.
func (x *Index) Clip() {
	x.clipped = true
	for _, s := range x.scopes {
		s.finish(s.segments[s.filling])
	}
}

// Prepare sorts the links of the scopes for an order, so that the first query does not have to.
func (x *Index) Prepare(field waymark.SortField) {
	for _, s := range x.scopes {
		s.orders.prepare(s, field)
	}
}

// SetLabels sets the scope and owner of lists or tags. Those deleted are in NoScope.
func (x *Index) SetLabels(k Kind, changed map[int64]Label) { x.labels.set(k, changed) }
