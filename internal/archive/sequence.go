package archive

import (
	"fmt"
	"slices"

	"waymark/internal/waymark"
)

// sequence checks the order and the numbers of the entities of an archive, for readers.
type sequence struct {
	last        Order // of the last entity
	lists, tags []int // their numbers so far, in ascending order
	link        int   // the number of the last link
	left        int64 // the bytes of the last attachment that are to follow
}

// next returns an error if the entity is not allowed after those before it.
func (s *sequence) next(e Entity) error {
	kind, order := e.kind()
	if order < s.last || order == s.last && order == OrderSettings {
		return fmt.Errorf("a line of type %s is not allowed here: the order is settings, lists, tags, links, each followed by its snapshot, full snapshot, attachments with their data, and notes, notes on links of others, saved searches, bundles, what is kept apart", kind)
	}
	var err error
	switch e := e.(type) {
	case List:
		s.lists, err = addNumber("lists", s.lists, e.Number)
	case Tag:
		s.tags, err = addNumber("tags", s.tags, e.Number)
	case Link:
		if err = increases(s.link, e.Number); err == nil {
			s.link = e.Number
		}
	case Note:
		if e.Link != 0 {
			err = s.follows("note", e.Link)
		}
	case TextSnapshot:
		err = s.follows("snapshot", e.Link)
	case FullSnapshot:
		err = s.follows("full snapshot", e.Link)
	case Attachment:
		if err = s.follows("attachment", e.Link); err == nil && (e.Size < 0 || e.Size > waymark.MaxUpload) {
			err = fmt.Errorf("the attachment has %d bytes: it must have between 0 and %d", e.Size, waymark.MaxUpload)
		}
	case AttachmentData:
		if n := int64(len(e.Data)); n == 0 || n > s.left {
			err = fmt.Errorf("the line has %d bytes of an attachment: between 1 and %d can follow here", n, s.left)
		}
	}
	if err != nil {
		if _, ok := e.(Attachment); ok {
			s.left = 0
		}
		return err
	}
	s.last = order
	switch e := e.(type) {
	case Attachment:
		s.left = e.Size
	case AttachmentData:
		s.left -= int64(len(e.Data))
	default:
		s.left = 0
	}
	return nil
}

// follows returns an error unless what belongs to a link follows it.
func (s *sequence) follows(what string, link int) error {
	if link == 0 || link != s.link {
		return fmt.Errorf("the %s belongs to link %d, which is not the link before it", what, link)
	}
	return nil
}

func addNumber(kind string, numbers []int, number int) ([]int, error) {
	if len(numbers) == maxLabels {
		return numbers, fmt.Errorf("the archive has more than %d %s", maxLabels, kind)
	}
	last := 0
	if len(numbers) > 0 {
		last = numbers[len(numbers)-1]
	}
	if err := increases(last, number); err != nil {
		return numbers, err
	}
	return append(numbers, number), nil
}

func increases(last, number int) error {
	switch {
	case number <= 0:
		return fmt.Errorf("the number is %d: it must be greater than 0", number)
	case number <= last:
		return fmt.Errorf("the number %d is not greater than the previous number, %d", number, last)
	}
	return nil
}

func missing(what string, numbers, of []int) error {
	for _, number := range numbers {
		if _, ok := slices.BinarySearch(of, number); !ok {
			return fmt.Errorf("the archive has no %s %d", what, number)
		}
	}
	return nil
}

func known(numbers, of []int) []int {
	return slices.DeleteFunc(slices.Clone(numbers), func(number int) bool {
		_, ok := slices.BinarySearch(of, number)
		return !ok
	})
}
