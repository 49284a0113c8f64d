package linkindex

import (
	"bytes"
	"iter"
	"math"
	"slices"

	"waymark/internal/waymark"
)

// A segment has up to segmentSize links.
const (
	segmentBits = 16
	segmentSize = 1 << segmentBits
)

// segment stores links in arrays: position i of each belongs to the same link.
type segment struct {
	ids       integers
	owners    integers
	flags     []uint16 // the status, the result, checkDisabled and the flags of the owner
	created   integers
	updated   integers
	texts     [textFields]texts
	hosts     numbers           // of the hosts
	labels    numbers           // of the lists and tags of all links
	labelEnds ends              // where the labels of each link end
	frequent  map[uint32]bitmap // the links of frequent lists and tags, by number, see scope.finish; nil for none
	alive     bitmap            // the links that are not removed
	dead      int               // the number of removed links
}

// The bits of segment.flags.
const (
	statusBits    = 0x0F
	resultShift   = 4 // bits 4 to 6 are the result
	resultBits    = 0x70
	checkDisabled = 0x80 // the link is not to be checked
	ownerShift    = 8    // bits 8 to 10 are those of waymark.LinkFlags
)

// The texts of a link.
const (
	urlText = iota
	titleText
	descriptionText
	textFields
)

// len returns the number of links, including removed ones.
func (s *segment) len() int { return s.ids.len() }

// full reports whether no more links can be appended. The texts and labels of a segment are limited
// too, because each must end before maxEnd.
func (s *segment) full() bool {
	return s.len() == segmentSize || s.labels.len() > maxLabels ||
		max(len(s.texts[urlText].data), len(s.texts[titleText].data), len(s.texts[descriptionText].data)) > maxTextBytes
}

const (
	// maxTextBytes is the total size of one text of all links at which a segment is full. The
	// record of one more text, with at most waymark.MaxDescription characters, takes less than 2
	// MiB.
	maxTextBytes = maxEnd - 2<<20
	// maxLabels is the total number of lists and tags of all links at which a segment is full.
	maxLabels = maxEnd / 2
)

// append stores a link and returns its position.
func (s *segment) append(link *Link, l *labels, h *hosts) int {
	position := s.len()
	s.frequent = nil
	s.ids.append(link.ID)
	s.owners.append(link.Owner)
	flags := uint16(link.Status) | uint16(link.CheckResult)<<resultShift
	if link.CheckDisabled {
		flags |= checkDisabled
	}
	for _, f := range [...]waymark.LinkFlag{waymark.FlagUnread, waymark.FlagArchived, waymark.FlagFavorite} {
		if link.Has(f) {
			flags |= ownerFlag(f)
		}
	}
	s.flags = append(s.flags, flags)
	s.created.append(int64(link.CreatedAt))
	s.updated.append(int64(link.UpdatedAt))
	s.texts[urlText].append(link.URL)
	s.hosts.append(h.number(siteOf(s.texts[urlText].record(position))))
	s.texts[titleText].append(link.Title)
	s.texts[descriptionText].append(link.Description)
	for _, id := range link.Lists {
		s.labels.append(l.number(List, id))
	}
	for _, id := range link.Tags {
		s.labels.append(l.number(Tag, id))
	}
	s.labelEnds.append(s.labels.len())
	if position%64 == 0 {
		s.alive = append(s.alive, 0)
	}
	s.alive.set(position)
	return position
}

// reserve makes room for the texts of a link and of many further links. Unlike append, it does not
// write to the new memory, because the first write to unused memory is slow.
func (s *segment) reserve(link *Link) {
	for field, text := range [textFields]string{urlText: link.URL, titleText: link.Title, descriptionText: link.Description} {
		t := &s.texts[field]
		if n := 2*len(text) + 2; cap(t.data)-len(t.data) < n {
			data := make([]byte, len(t.data), 2*len(t.data)+n)
			copy(data, t.data)
			t.data = data
		}
	}
}

// remove marks a link as removed. Its texts stay until the segment is compacted.
func (s *segment) remove(position int) {
	s.alive.clear(position)
	s.dead++
}

// ownerFlag returns the bit of a flag of the owner.
func ownerFlag(f waymark.LinkFlag) uint16 { return 1 << (ownerShift + f) }

func (s *segment) status(position int) waymark.Status {
	return waymark.Status(s.flags[position] & statusBits)
}

func (s *segment) result(position int) waymark.CheckResult {
	return waymark.CheckResult(s.flags[position] & resultBits >> resultShift)
}

// folded returns the folded text of a link.
func (s *segment) folded(field, position int) []byte {
	record := s.texts[field].record(position)
	return record[:bytes.IndexByte(record, textEnd)]
}

// containing returns the links that have a text in one of the fields.
func (s *segment) containing(text []byte, fields []int) bitmap {
	found := newBitmap(s.len())
	for _, field := range fields {
		s.texts[field].find(text, found)
	}
	return found
}

// labelsOf yields the numbers of the lists and tags of a link.
func (s *segment) labelsOf(position int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := s.labelEnds.startOf(position); i < s.labelEnds.at(position); i++ {
			if !yield(s.labels.at(i)) {
				return
			}
		}
	}
}

// labeled returns the links that have one of the wanted lists and tags.
func (s *segment) labeled(wanted bitmap) bitmap {
	found := newBitmap(s.len())
	only, ok := wanted.only()
	switch {
	case ok:
		s.findLabel(uint32(only), found)
	case s.labels.wide == nil:
		findLabels(s.labels.narrow, s.labelEnds, wanted, found)
	default:
		findLabels(s.labels.wide, s.labelEnds, wanted, found)
	}
	return found
}

// findLabel adds to found the links that have a list or tag.
func (s *segment) findLabel(label uint32, found bitmap) {
	if links, ok := s.frequent[label]; ok {
		found.or(links)
		return
	}
	if s.labels.wide == nil {
		if label <= math.MaxUint16 {
			findNumber(s.labels.narrow, s.labelEnds, uint16(label), found)
		}
		return
	}
	findNumber(s.labels.wide, s.labelEnds, label, found)
}

// findNumber adds to found the parts of labels that contain a number.
func findNumber[N uint16 | uint32](labels []N, parts ends, wanted N, found bitmap) {
	part := 0
	for i, label := range labels {
		if label == wanted {
			part = parts.partAt(i, part)
			found.set(part)
		}
	}
}

// findLabels adds to found the parts of labels that contain one of the wanted numbers.
func findLabels[N uint16 | uint32](labels []N, parts ends, wanted, found bitmap) {
	part := 0
	for i := 0; i < len(labels); i++ {
		if wanted.has(int(labels[i])) {
			part = parts.partAt(i, part)
			found.set(part)
			i = parts.at(part) - 1 // the next link
		}
	}
}

// labelCount returns how many of the wanted lists and tags a link has.
func (s *segment) labelCount(position int, wanted bitmap) int {
	n := 0
	for i := s.labelEnds.startOf(position); i < s.labelEnds.at(position); i++ {
		if wanted.has(int(s.labels.at(i))) {
			n++
		}
	}
	return n
}

// clip replaces the arrays of the segment with copies without room for further links. It returns an
// empty segment with the old arrays, because reused memory is faster to fill than new memory.
func (s *segment) clip() (empty *segment) {
	empty = &segment{
		ids:       s.ids.clip(),
		owners:    s.owners.clip(),
		flags:     clip(&s.flags),
		created:   s.created.clip(),
		updated:   s.updated.clip(),
		hosts:     s.hosts.clip(),
		labels:    s.labels.clip(),
		labelEnds: clip(&s.labelEnds),
		alive:     clip(&s.alive),
	}
	for i := range s.texts {
		t := &s.texts[i]
		empty.texts[i] = texts{data: clip(&t.data), ends: clip(&t.ends)}
	}
	return empty
}

// clip replaces an array with a copy without spare capacity. It returns the old array, empty.
func clip[S ~[]E, E any](s *S) (empty S) {
	empty = (*s)[:0]
	*s = slices.Clip(slices.Clone(*s))
	return empty
}

// compact deletes the data of removed links. It calls moved for each link with its new position,
// and returns the new positions by the old ones.
func (s *segment) compact(moved func(id int64, position int)) []uint16 {
	old := *s
	*s = segment{}
	positions := make([]uint16, old.len())
	for i := range old.len() {
		if !old.alive.has(i) {
			continue
		}
		position := s.len()
		positions[i] = uint16(position)
		s.ids.append(old.ids.at(i))
		s.owners.append(old.owners.at(i))
		s.flags = append(s.flags, old.flags[i])
		s.created.append(old.created.at(i))
		s.updated.append(old.updated.at(i))
		for field := range s.texts {
			s.texts[field].appendRecord(old.texts[field].record(i))
		}
		s.hosts.append(old.hosts.at(i))
		for label := range old.labelsOf(i) {
			s.labels.append(label)
		}
		s.labelEnds.append(s.labels.len())
		if position%64 == 0 {
			s.alive = append(s.alive, 0)
		}
		s.alive.set(position)
		moved(old.ids.at(i), position)
	}
	return positions
}

func (s *segment) bytes() int64 {
	n := s.ids.bytes() + s.owners.bytes() + s.created.bytes() + s.updated.bytes() + 2*cap(s.flags) + s.hosts.bytes() + s.labels.bytes() + cap(s.labelEnds) + 8*cap(s.alive)
	for i := range s.texts {
		t := &s.texts[i]
		n += cap(t.data) + cap(t.ends) + 4*len(t.counts)
	}
	for _, links := range s.frequent {
		n += 8 * cap(links)
	}
	return int64(n)
}
