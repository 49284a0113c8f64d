package linkindex

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
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
	flags     []uint8 // the status, the verdict and checkDisabled
	created   integers
	updated   integers
	texts     [textFields]texts
	labels    numbers           // of the lists and tags of all links
	labelEnds ends              // where those of each link end
	frequent  map[uint32]bitmap // the links of frequent lists and tags, by number, see scope.finish; nil for none
	alive     bitmap            // the links that are not removed
	dead      int               // the number of removed links
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

// full reports whether no link may be appended. The texts and labels of a segment are limited, too,
// because each must end before maxEnd.
func (s *segment) full() bool {
	return s.len() == segmentSize || s.labels.len() > maxLabels ||
		max(len(s.texts[urlText].data), len(s.texts[titleText].data), len(s.texts[descriptionText].data)) > maxTextBytes
}

const (
	// maxTextBytes is the size of one text of all links of a segment from which on the segment is
	// full. The record of one more text, of waymark.MaxDescription characters at most, takes less
	// than 2 MiB.
	maxTextBytes = maxEnd - 2<<20
	// maxLabels is the number of lists and tags of all links of a segment from which on it is full.
	// One more link has far fewer.
	maxLabels = maxEnd / 2
)

// append stores a link and returns its position.
func (s *segment) append(link *Link, l *labels) int {
	position := s.len()
	s.frequent = nil
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

// reserve makes room for the texts of a link and of many further ones. It does not write to the new
// memory, as append does: the first write to memory that nobody has used yet takes long.
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

// findLabel adds the links that have a list or tag to found.
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

// findNumber adds the parts of labels that have a number to found.
func findNumber[N uint16 | uint32](labels []N, parts ends, wanted N, found bitmap) {
	part := 0
	for i, label := range labels {
		if label == wanted {
			part = parts.partAt(i, part)
			found.set(part)
		}
	}
}

// findLabels adds the parts of labels that have one of the wanted numbers to found.
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

// clip gives the segment arrays without room for further links. It returns an empty segment that
// has the larger arrays: filling memory that was used before is quicker than new memory.
func (s *segment) clip() (empty *segment) {
	empty = &segment{
		ids:       s.ids.clip(),
		owners:    s.owners.clip(),
		flags:     clip(&s.flags),
		created:   s.created.clip(),
		updated:   s.updated.clip(),
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

// clip replaces an array by a copy without further capacity. It returns the one before, empty.
func clip[S ~[]E, E any](s *S) (empty S) {
	empty = (*s)[:0]
	*s = slices.Clip(slices.Clone(*s))
	return empty
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
	n := s.ids.bytes() + s.owners.bytes() + s.created.bytes() + s.updated.bytes() + cap(s.flags) + s.labels.bytes() + cap(s.labelEnds) + 8*cap(s.alive)
	for i := range s.texts {
		t := &s.texts[i]
		n += cap(t.data) + cap(t.ends) + 4*len(t.counts)
	}
	for _, links := range s.frequent {
		n += 8 * cap(links)
	}
	return int64(n)
}

// texts stores one text of each link. A record is the folded text, the byte 0xFF, and
// the encoded difference to the original text. A text that is searched for is valid
// UTF-8, in which 0xFF does not occur: so it is found within one record only.
type texts struct {
	data   []byte
	ends   ends        // where the record of each link ends
	counts [256]uint32 // how often each byte occurs in the folded texts
}

// textEnd separates the folded text of a record from what follows.
const textEnd = 0xFF

func (t *texts) append(original string) {
	if isASCII(original) {
		t.appendASCII(original)
		return
	}
	start := len(t.data)
	t.data = waymark.AppendFold(t.data, original)
	folded := t.data[start:]
	for _, b := range folded {
		t.counts[b]++
	}
	t.data = append(t.data, textEnd)
	t.data = appendDifference(t.data, folded, original)
	t.ends.append(len(t.data))
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
	t.ends.append(len(t.data))
}

func (t *texts) appendRecord(record []byte) {
	for _, b := range record[:bytes.IndexByte(record, textEnd)] {
		t.counts[b]++
	}
	t.data = append(t.data, record...)
	t.ends.append(len(t.data))
}

// record returns the record of a link.
func (t *texts) record(position int) []byte {
	return t.data[t.ends.startOf(position):t.ends.at(position)]
}

// yieldBytes is the number of bytes that a search reads before it lets others use the processor:
// it takes 0.1 to 0.6 ms.
const yieldBytes = 256 << 10

// rarest returns the byte of a text that occurs least often.
func (t *texts) rarest(text []byte) byte {
	return slices.MinFunc(text, func(a, b byte) int { return cmp.Compare(t.counts[a], t.counts[b]) })
}

// rarestPair returns where the two bytes of a text are that are probably next to each other least
// often.
func (t *texts) rarestPair(text []byte) (offset int) {
	count := func(i int) uint64 { return uint64(t.counts[text[i]]) * uint64(t.counts[text[i+1]]) }
	for i := range len(text) - 1 {
		if count(i) < count(offset) {
			offset = i
		}
	}
	return offset
}

// How fast texts are found. It decides only how they are read.
const (
	byteSpeed   = 30 // how many bytes are read in a nanosecond to find one byte
	pairSpeed   = 14 // the same to find two bytes that are next to each other
	timeOfFound = 6  // the time for each byte that is found, in nanoseconds
)

// findTime returns about the time that find takes, and whether it looks for two bytes.
func (t *texts) findTime(text []byte) (time int, pairs bool) {
	time = len(t.data)/byteSpeed + int(t.counts[t.rarest(text)])*timeOfFound
	if timeOfPairs := len(t.data) / pairSpeed; timeOfPairs < time && len(text) > 1 {
		return timeOfPairs, true
	}
	return time, false
}

// find adds the positions of the links whose text contains a text to found. It looks for the
// rarest byte of the text, which the processor finds in many bytes at once, or for its rarest two
// bytes if the byte is frequent, and compares the whole text where they are.
func (t *texts) find(text []byte, found bitmap, yield func()) {
	rarest := t.rarest(text)
	if t.counts[rarest] == 0 {
		return
	}
	offset := bytes.IndexByte(text, rarest) // of the bytes in the text
	index := func(data []byte) int { return bytes.IndexByte(data, rarest) }
	if _, pairs := t.findTime(text); pairs {
		offset = t.rarestPair(text)
		index = func(data []byte) int { return indexPair(data, text[offset], text[offset+1]) }
	}
	last, part := text[len(text)-1], yieldBytes
	position, end := 0, t.ends.at(0) // of the record from which on the text is searched for
	for next := offset; next < len(t.data); {
		if next >= part {
			yield()
			part = next + yieldBytes
		}
		at := index(t.data[next:min(part+1, len(t.data))]) // with the second byte of a pair
		if at < 0 {
			next = part
			continue
		}
		at += next - offset
		if stop := at + len(text); stop > len(t.data) || t.data[at] != text[0] || t.data[stop-1] != last || !bytes.Equal(t.data[at:stop], text) {
			next = at + offset + 1
			continue
		}
		if at >= end {
			position = t.ends.partAt(at, position+1)
			end = t.ends.at(position)
		}
		found.set(position)
		next = end + offset
		if position++; position < t.ends.len() {
			end = t.ends.at(position)
		}
	}
}

// indexPair returns where two bytes are next to each other in data for the first time, -1 if
// nowhere. It compares eight bytes at once, as one number.
func indexPair(data []byte, first, second byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	firsts, seconds := uint64(first)*ones, uint64(second)*ones
	// The result has a byte 0 for each pair. What zeros returns has the high bit of the first one set.
	compare := func(data []byte) uint64 {
		return (binary.LittleEndian.Uint64(data) ^ firsts) | (binary.LittleEndian.Uint64(data[1:]) ^ seconds)
	}
	zeros := func(n uint64) uint64 { return (n - ones) &^ n & high }
	i := 0
	for ; i+33 <= len(data); i += 32 {
		block := data[i : i+33 : i+33]
		a, b, c, d := zeros(compare(block)), zeros(compare(block[8:])), zeros(compare(block[16:])), zeros(compare(block[24:]))
		if a|b|c|d == 0 {
			continue
		}
		for j, z := range [4]uint64{a, b, c, d} {
			if z != 0 {
				return i + 8*j + bits.TrailingZeros64(z)/8
			}
		}
	}
	for ; i+1 < len(data); i++ {
		if data[i] == first && data[i+1] == second {
			return i
		}
	}
	return -1
}

// bitmap is a set of positions in a segment.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitmap) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
func (b bitmap) has(i int) bool { return b.bit(i) != 0 }

// bit returns 1 if a position is in the set, and 0 otherwise.
func (b bitmap) bit(i int) int { return int(b[uint(i)/64] >> (uint(i) % 64) & 1) }

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
