package linkindex

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"sort"

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
	flags     []uint8 // the status, the verdict and checkDisabled
	created   integers
	updated   integers
	texts     [textFields]texts
	labels    []uint32 // the numbers of the lists and tags of all links
	labelEnds []uint32 // where those of each link end
	alive     bitmap   // the links that are not removed
	dead      int      // the number of removed links
}

// The bits of segment.flags.
const (
	statusBits    = 0x0F
	verdictShift  = 4 // bits 4 to 6 are the verdict
	verdictBits   = 0x70
	checkDisabled = 0x80 // the link is not to be checked
)

// The texts of a link.
const (
	urlText = iota
	titleText
	descriptionText
	textFields
)

// len returns the number of links, those that are removed included.
func (s *segment) len() int { return s.ids.len() }

// full reports whether no link may be appended. The texts of a segment are limited, too,
// because their ends are 32 bits long.
func (s *segment) full() bool {
	return s.len() == segmentSize || max(len(s.texts[urlText].data), len(s.texts[titleText].data), len(s.texts[descriptionText].data)) > maxTextBytes
}

// maxTextBytes is the size of one text of all links of a segment from which on the
// segment is full. A single text is much shorter.
const maxTextBytes = 1 << 30

// append stores a link and returns its position.
func (s *segment) append(link *Link, l *labels) int {
	position := s.len()
	s.ids.append(link.ID)
	s.owners.append(link.Owner)
	flags := uint8(link.Status) | uint8(link.Verdict)<<verdictShift
	if link.CheckDisabled {
		flags |= checkDisabled
	}
	s.flags = append(s.flags, flags)
	s.created.append(int64(link.CreatedAt))
	s.updated.append(int64(link.UpdatedAt))
	s.texts[urlText].append(link.URL)
	s.texts[titleText].append(link.Title)
	s.texts[descriptionText].append(link.Description)
	for _, id := range link.Lists {
		s.labels = append(s.labels, l.number(List, id))
	}
	for _, id := range link.Tags {
		s.labels = append(s.labels, l.number(Tag, id))
	}
	s.labelEnds = append(s.labelEnds, uint32(len(s.labels)))
	if position%64 == 0 {
		s.alive = append(s.alive, 0)
	}
	s.alive.set(position)
	return position
}

// remove marks a link as removed. Its texts stay until the segment is compacted.
func (s *segment) remove(position int) {
	s.alive.clear(position)
	s.dead++
}

func (s *segment) status(position int) waymark.Status {
	return waymark.Status(s.flags[position] & statusBits)
}

func (s *segment) verdict(position int) waymark.Verdict {
	return waymark.Verdict(s.flags[position] & verdictBits >> verdictShift)
}

// containing returns the links that have a text in one of the fields.
func (s *segment) containing(text []byte, fields []int, yield func()) bitmap {
	found := newBitmap(s.len())
	for _, field := range fields {
		s.texts[field].find(text, found, yield)
	}
	return found
}

// labelsOf returns the numbers of the lists and tags of a link.
func (s *segment) labelsOf(position int) []uint32 {
	return s.labels[startOf(s.labelEnds, position):s.labelEnds[position]]
}

// labeled returns the links that have one of the wanted lists and tags.
func (s *segment) labeled(wanted bitmap) bitmap {
	found := newBitmap(s.len())
	position := 0
	if only, ok := wanted.only(); ok {
		for i, label := range s.labels {
			if label == uint32(only) {
				position = partAt(s.labelEnds, uint32(i), position)
				found.set(position)
			}
		}
		return found
	}
	for i := 0; i < len(s.labels); i++ {
		if wanted.has(int(s.labels[i])) {
			position = partAt(s.labelEnds, uint32(i), position)
			found.set(position)
			i = int(s.labelEnds[position]) - 1 // the next link
		}
	}
	return found
}

// labelCount returns how many of the wanted lists and tags a link has.
func (s *segment) labelCount(position int, wanted bitmap) int {
	n := 0
	for _, label := range s.labelsOf(position) {
		if wanted.has(int(label)) {
			n++
		}
	}
	return n
}

// clip gives back the memory that append reserved.
func (s *segment) clip() {
	s.ids.clip()
	s.owners.clip()
	s.flags = slices.Clone(s.flags)
	s.created.clip()
	s.updated.clip()
	for i := range s.texts {
		s.texts[i].data = slices.Clone(s.texts[i].data)
		s.texts[i].ends = slices.Clone(s.texts[i].ends)
	}
	s.labels = slices.Clone(s.labels)
	s.labelEnds = slices.Clone(s.labelEnds)
	s.alive = slices.Clone(s.alive)
}

// compact removes what removed links left behind. It calls moved for each link with its
// new position, and returns the new positions by the old ones.
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
		s.labels = append(s.labels, old.labelsOf(i)...)
		s.labelEnds = append(s.labelEnds, uint32(len(s.labels)))
		if position%64 == 0 {
			s.alive = append(s.alive, 0)
		}
		s.alive.set(position)
		moved(old.ids.at(i), position)
	}
	s.clip()
	return positions
}

func (s *segment) bytes() int64 {
	n := s.ids.bytes() + s.owners.bytes() + s.created.bytes() + s.updated.bytes() + cap(s.flags) + 4*cap(s.labels) + 4*cap(s.labelEnds) + 8*cap(s.alive)
	for i := range s.texts {
		t := &s.texts[i]
		n += cap(t.data) + 4*cap(t.ends) + 4*len(t.counts)
	}
	return int64(n)
}

// texts stores one text of each link. A record is the folded text, the byte 0xFF, and
// the encoded difference to the original text. A text that is searched for is valid
// UTF-8, in which 0xFF does not occur: so it is found within one record only.
type texts struct {
	data   []byte
	ends   []uint32    // where the record of each link ends
	counts [256]uint32 // how often each byte occurs in the folded texts
}

// textEnd separates the folded text of a record from what follows.
const textEnd = 0xFF

func (t *texts) append(original string) {
	if isASCII(original) {
		t.appendASCII(original)
		return
	}
	folded := waymark.Fold(original)
	for _, b := range []byte(folded) {
		t.counts[b]++
	}
	t.data = append(t.data, folded...)
	t.data = append(t.data, textEnd)
	t.data = appendDifference(t.data, folded, original)
	t.ends = append(t.ends, uint32(len(t.data)))
}

// appendASCII is append for a text of ASCII characters, as most are. It takes less than half
// of the time.
func (t *texts) appendASCII(original string) {
	start := len(t.data)
	t.data = append(t.data, original...)
	folded := t.data[start:]
	length := 0 // up to the last upper case letter
	for i, b := range folded {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
			folded[i] = b
			length = i + 1
		}
		t.counts[b]++
	}
	t.data = append(t.data, textEnd)
	if length > 0 {
		t.data = appendUpperCase(t.data, original[:length])
	}
	t.ends = append(t.ends, uint32(len(t.data)))
}

func (t *texts) appendRecord(record []byte) {
	for _, b := range record[:bytes.IndexByte(record, textEnd)] {
		t.counts[b]++
	}
	t.data = append(t.data, record...)
	t.ends = append(t.ends, uint32(len(t.data)))
}

// record returns the record of a link.
func (t *texts) record(position int) []byte {
	return t.data[startOf(t.ends, position):t.ends[position]]
}

// text returns the folded text of a link.
func (t *texts) text(position int) []byte {
	record := t.record(position)
	return record[:bytes.IndexByte(record, textEnd)]
}

// yieldBytes is the number of bytes that a search reads before it lets others use the processor:
// it takes 0.1 to 0.6 ms.
const yieldBytes = 256 << 10

// rarest returns the byte of a text that occurs least often.
func (t *texts) rarest(text []byte) byte {
	return slices.MinFunc(text, func(a, b byte) int { return cmp.Compare(t.counts[a], t.counts[b]) })
}

// find adds the positions of the links whose text contains a text to found. It looks for
// the rarest byte of the text, which the processor finds in many bytes at once, and
// compares the whole text where that byte is.
func (t *texts) find(text []byte, found bitmap, yield func()) {
	if t.counts[t.rarest(text)] == 0 {
		return
	}
	rare := bytes.IndexByte(text, t.rarest(text))
	last, position, part := text[len(text)-1], 0, yieldBytes
	for next := rare; next < len(t.data); {
		if next >= part {
			yield()
			part = next + yieldBytes
		}
		at := bytes.IndexByte(t.data[next:min(part, len(t.data))], text[rare])
		if at < 0 {
			next = part
			continue
		}
		at += next - rare
		if end := at + len(text); end > len(t.data) || t.data[at] != text[0] || t.data[end-1] != last || !bytes.Equal(t.data[at:end], text) {
			next = at + rare + 1
			continue
		}
		position = t.positionOf(at, position)
		found.set(position)
		next = int(t.ends[position]) + rare
		position++
	}
}

// positionOf returns the link whose record contains a byte. The link is at or after the
// position from, and often near it.
func (t *texts) positionOf(offset, from int) int { return partAt(t.ends, uint32(offset), from) }

// partAt returns the part of an array that has the element at offset. The parts end at
// ends. The part is at or after from, and often near it.
func partAt(ends []uint32, offset uint32, from int) int {
	for range 8 {
		if offset < ends[from] {
			return from
		}
		from++
	}
	step := 1
	for from+step < len(ends) && ends[from+step] <= offset {
		from += step
		step *= 2
	}
	nearby := ends[from:min(from+step+1, len(ends))]
	return from + sort.Search(len(nearby), func(i int) bool { return nearby[i] > offset })
}

// startOf returns where the part of an array begins that ends at ends[position].
func startOf(ends []uint32, position int) uint32 {
	if position == 0 {
		return 0
	}
	return ends[position-1]
}

// bitmap is a set of positions in a segment.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitmap) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
func (b bitmap) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// only returns the position in the set if there is exactly one.
func (b bitmap) only() (position int, ok bool) {
	for i, word := range b {
		if word == 0 {
			continue
		}
		if ok || word&(word-1) != 0 {
			return 0, false
		}
		position, ok = i*64+bits.TrailingZeros64(word), true
	}
	return position, ok
}

// and removes the positions that are not in other, and returns the number of those left.
func (b bitmap) and(other bitmap) int {
	n := 0
	for i := range b {
		b[i] &= other[i]
		n += bits.OnesCount64(b[i])
	}
	return n
}

// andNot removes the positions that are in other, and returns the number of those left.
func (b bitmap) andNot(other bitmap) int {
	n := 0
	for i := range b {
		b[i] &^= other[i]
		n += bits.OnesCount64(b[i])
	}
	return n
}

// or adds the positions that are in other, which may be nil, and returns the set.
func (b bitmap) or(other bitmap) bitmap {
	for i := range other {
		b[i] |= other[i]
	}
	return b
}

// keep removes the positions that do not satisfy a condition, and returns the number of
// those left.
func (b bitmap) keep(satisfies func(position int) bool) int {
	n := 0
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			if satisfies(i*64 + bits.TrailingZeros64(word)) {
				n++
			} else {
				b[i] &^= bit
			}
		}
	}
	return n
}

// appendTo appends the positions to slots of a segment.
func (b bitmap) appendTo(slots []slot, segment int) []slot {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			slots = append(slots, newSlot(segment, i*64+bits.TrailingZeros64(word)))
		}
	}
	return slots
}
