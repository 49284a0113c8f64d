package waymark

import (
	"slices"
	"unicode"
)

// Reading is how the reader shows texts. The zero value is the default.
type Reading struct {
	Size  string // of ReadingSizes
	Width string // of ReadingWidths
	Theme string // of ReadingThemes
}

// The choices of Reading.
var (
	ReadingSizes  = []string{"small", "", "large"}
	ReadingWidths = []string{"slim", "", "wide"}
	ReadingThemes = []string{"", "light", "sepia", "dark"} // "" for that of the other pages
)

// Valid reports whether the choices exist.
func (r Reading) Valid() bool {
	return slices.Contains(ReadingSizes, r.Size) && slices.Contains(ReadingWidths, r.Width) && slices.Contains(ReadingThemes, r.Theme)
}

// ReadingPosition is how far a user has read the text snapshot of a link.
type ReadingPosition struct {
	Paragraph int // the number of the block of text at the top of the window, see article.Number; 0 above the first one
	PerMille  int // how much of the text was read
}

// maxParagraphs is more than a text snapshot can have.
const maxParagraphs = 2 << 20

// Valid reports whether a text can have the position.
func (p ReadingPosition) Valid() bool {
	return p.Paragraph >= 0 && p.Paragraph <= maxParagraphs && p.PerMille >= 0 && p.PerMille <= 1000
}

// ReadThrough reports whether the user has read the text to its end.
func (p ReadingPosition) ReadThrough() bool { return p.PerMille > 970 }

// Left returns how many of the minutes that a text takes are left, at least 1.
func (p ReadingPosition) Left(minutes int) int { return max(1, (minutes*(1000-p.PerMille)+999)/1000) }

const (
	wordsPerMinute   = 230
	lettersPerMinute = 500 // of scripts without spaces between words
)

// Minutes returns how long it takes to read a text, at least 1.
func Minutes(text string) int {
	words, letters := 0, 0
	inWord := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			inWord = false
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		case BeginsAnywhere(r):
			letters++
		case !inWord:
			words++
			inWord = true
		}
	}
	const perMinute = wordsPerMinute * lettersPerMinute
	return max(1, (words*lettersPerMinute+letters*wordsPerMinute+perMinute-1)/perMinute)
}
