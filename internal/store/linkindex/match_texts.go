package linkindex

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// needed returns texts without redundant conditions: a link that contains a text contains each part
// of it, and a link that lacks a part of a text lacks the text.
func needed(texts []Text) []Text {
	var left []Text
	for i, t := range texts {
		unnecessary := false
		for j, other := range texts {
			longer, part := other.Text, t.Text
			if t.Not {
				longer, part = t.Text, other.Text
			}
			unnecessary = unnecessary || i != j && t.Not == other.Not && t.InTitle == other.InTitle && t.InDescription == other.InDescription &&
				t.SnapshotQuery == "" && other.SnapshotQuery == "" && strings.Contains(longer, part) && (t.Text != other.Text || j < i)
		}
		if !unnecessary {
			left = append(left, t)
		}
	}
	return left
}

// textTest is a Text for the links of one segment.
type textTest struct {
	text        []byte
	fields      []int
	not         bool
	inSnapshots bitmap // the links that have the text in the snapshot of their page, or nil
	bytes       int    // of these fields of all links
	scan        int    // about the time of reading them, in nanoseconds
}

// timeOfTest is about the time of looking for a text in one text of one link, in nanoseconds.
const timeOfTest = 16

func (s *segment) newTextTest(t Text, inSnapshots bitmap) textTest {
	test := textTest{text: []byte(t.Text), fields: t.fields(), not: t.Not, inSnapshots: inSnapshots}
	for _, field := range test.fields {
		texts := &s.texts[field]
		time, _ := texts.findTime(test.text)
		test.bytes += len(texts.data)
		test.scan += time
	}
	return test
}

// keepTexts removes from found the links that do not satisfy texts, and returns the number of
// remaining links. n is the number before. snapshots returns the links whose snapshot of the page
// satisfies a text.
func (s *segment) keepTexts(found bitmap, n int, texts []Text, snapshots func(text int) bitmap) int {
	if n == 0 {
		return 0
	}
	tests := make([]textTest, len(texts))
	for i, t := range texts {
		tests[i] = s.newTextTest(t, snapshots(i))
	}
	// The rarest text leaves the fewest links for the others.
	slices.SortFunc(tests, func(a, b textTest) int {
		if a.not != b.not {
			if a.not {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.scan, b.scan)
	})
	for i := range tests {
		t := &tests[i]
		switch {
		case n*(len(t.fields)*timeOfTest+t.bytes/s.len()/byteSpeed) < t.scan:
			return found.keep(func(position int) bool {
				return !slices.ContainsFunc(tests[i:], func(t textTest) bool { return !s.satisfiesText(position, &t) })
			})
		case t.not:
			n = found.andNot(s.containing(t.text, t.fields).or(t.inSnapshots))
		default:
			n = found.and(s.containing(t.text, t.fields).or(t.inSnapshots))
		}
	}
	return n
}

// satisfiesText reports whether a link satisfies a condition on its texts.
func (s *segment) satisfiesText(position int, t *textTest) bool {
	return (s.contains(position, t.text, t.fields) || t.inSnapshots != nil && t.inSnapshots.has(position)) != t.not
}

// contains reports whether a link has a text in one of the fields.
func (s *segment) contains(position int, text []byte, fields []int) bool {
	for _, field := range fields {
		if bytes.Contains(s.texts[field].record(position), text) {
			return true
		}
	}
	return false
}

// fields returns the texts of a link that are searched.
func (t Text) fields() []int {
	fields := []int{urlText}
	if t.InTitle {
		fields = append(fields, titleText)
	}
	if t.InDescription {
		fields = append(fields, descriptionText)
	}
	return fields
}
