package waymark

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// MaxWordLength is the number of letters after which a word is cut off, in texts and in queries.
// A longer one is no word of a language.
const MaxWordLength = 64

// MaxSnapshotWords is the maximum number of different words of a snapshot that searches find. Those that
// occur later are not found. The text of a whole book has fewer.
const MaxSnapshotWords = 50_000

// MaxSnapshotWordBytes limits the size of these words together, in bytes. PostgreSQL stores at most
// 1 MiB of them.
const MaxSnapshotWordBytes = 512 << 10

// SnapshotWords returns the different words of a text, sorted: runs of letters and digits, see Plain.
// Scripts that do not separate words, such as Chinese, give all pairs of neighbouring letters, and
// the last letter of each run.
func SnapshotWords(text string) []string {
	var words []string
	seen := map[string]bool{}
	size := 0
	for word := range wordsOf(text) {
		if seen[word] {
			continue
		}
		if size += len(word); size > MaxSnapshotWordBytes {
			break
		}
		seen[word] = true
		words = append(words, word)
		if len(words) == MaxSnapshotWords {
			break
		}
	}
	slices.Sort(words)
	return words
}

// QueryWords returns the words of a query, sorted. A text matches the query if, for each of them, a
// word of the text begins with it. Words that are the beginning of another are left out. Of more
// than MaxWords it returns the longest, which occur in the fewest texts.
func QueryWords(query string) []string {
	var words []string
	for word, ofPairs := range wordsOf(query) {
		if !ofPairs { // else the pair before it has the letter
			words = append(words, word)
		}
	}
	slices.Sort(words)
	var needed []string
	for i, word := range words {
		if i+1 == len(words) || !strings.HasPrefix(words[i+1], word) {
			needed = append(needed, word)
		}
	}
	if len(needed) > MaxWords {
		slices.SortStableFunc(needed, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		needed = needed[:MaxWords]
		slices.Sort(needed)
	}
	return needed
}

// wordsOf yields the words of a text. ofPairs marks the last letter of a run of pairs.
func wordsOf(text string) iter.Seq2[string, bool] {
	return func(yield func(word string, ofPairs bool) bool) {
		var run []rune
		var letters []int // where the letters of a run of pairs begin; marks follow them
		inPairs := false
		end := func() bool {
			defer func() { run, letters = run[:0], letters[:0] }()
			if len(run) > 0 && !inPairs {
				return yield(cutWord(run), false)
			}
			for i, begin := range letters {
				pair := run[begin:]
				if i+2 < len(letters) {
					pair = run[begin:letters[i+2]]
				}
				if !yield(cutWord(pair), i > 0 && i+1 == len(letters)) {
					return false
				}
			}
			return true
		}
		for _, r := range Plain(strings.ReplaceAll(text, "\u200b", " ")) { // a zero width space separates words
			letter := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '〇'
			if !letter && (len(run) == 0 || !unicode.IsMark(r)) {
				if !end() {
					return
				}
				continue
			}
			if letter && len(run) > 0 && BeginsAnywhere(r) != inPairs && !end() {
				return
			}
			if len(run) == 0 {
				inPairs = BeginsAnywhere(r)
			}
			if inPairs && letter {
				letters = append(letters, len(run))
			}
			if inPairs || len(run) < MaxWordLength {
				run = append(run, r)
			}
		}
		end()
	}
}

func cutWord(word []rune) string { return string(word[:min(len(word), MaxWordLength)]) }

// BeginsAnywhere reports whether a letter belongs to a script without spaces between words: any
// letter counts as the beginning of a word. Korean separates words, but not the words of a
// compound.
func BeginsAnywhere(r rune) bool {
	return r >= 0xE00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー' || r == 'ｰ')
}
