package linkindex

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"waymark/internal/waymark"
)

// texts stores one text of each link. A record is the folded text, the byte 0xFF, and the encoded
// difference to the original text. The text of a search is valid UTF-8, which never contains 0xFF,
// so a match is always within one record.
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

// appendASCII is append for ASCII, which most texts are, in less than half of the time.
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

// rarest returns the byte of a text that occurs least often.
func (t *texts) rarest(text []byte) byte {
	return slices.MinFunc(text, func(a, b byte) int { return cmp.Compare(t.counts[a], t.counts[b]) })
}

// rarestPair returns the offset in a text of the pair of bytes that is probably the rarest.
func (t *texts) rarestPair(text []byte) (offset int) {
	count := func(i int) uint64 { return uint64(t.counts[text[i]]) * uint64(t.counts[text[i+1]]) }
	for i := range len(text) - 1 {
		if count(i) < count(offset) {
			offset = i
		}
	}
	return offset
}

// The speeds of the two ways to find a text. They only decide which one is used.
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

// find adds to found the positions of the links whose text contains a text. It looks for the rarest
// byte of the text, which bytes.IndexByte finds quickly, or for the rarest pair of bytes if that
// byte is frequent. At each place found it compares the whole text.
func (t *texts) find(text []byte, found bitmap) {
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
	last := text[len(text)-1]
	position, end := 0, t.ends.at(0) // of the record from which on the text is searched for
	for next := offset; next < len(t.data); {
		at := index(t.data[next:])
		if at < 0 {
			return
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

// indexPair returns the index of the first place in data where two bytes follow each other, or -1.
// It compares eight bytes at once, as one number.
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
