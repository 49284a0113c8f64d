package bench

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"strconv"
	"strings"
	"unicode"

	"waymark/internal/waymark"
)

// defaultWords are links in many scripts, used if no file of real links is given.
//
//go:embed words.ndjson
var defaultWords []byte

// Example is a link in a file of links, which has one JSON object per line.
type Example struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	List        string `json:"list"`
	Source      string `json:"source"`
}

// ReadExamples reads the links in a file, or the embedded ones if file is "".
func ReadExamples(file string) ([]Example, error) {
	lines := defaultWords
	if file != "" {
		var err error
		if lines, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	examples, err := parseExamples(lines)
	if err == nil && len(examples) == 0 {
		err = errors.New("no links in it")
	}
	if err != nil {
		return nil, fmt.Errorf("file of links %s: %w", file, err)
	}
	return examples, nil
}

func parseExamples(lines []byte) ([]Example, error) {
	var examples []Example
	for decoder := json.NewDecoder(bytes.NewReader(lines)); ; {
		var example Example
		switch err := decoder.Decode(&example); {
		case errors.Is(err, io.EOF):
			return examples, nil
		case err != nil:
			return nil, fmt.Errorf("object %d: %w", len(examples)+1, err)
		}
		examples = append(examples, example)
	}
}

// Corpus has the hosts and the words that generated links are made of.
type Corpus struct {
	hosts []string   // such as https://go.dev, each as often as it occurs
	texts [][]string // the words of titles and descriptions
}

// ReadCorpus reads hosts and words from a file of links, or from an embedded one if
// file is "".
func ReadCorpus(file string) (*Corpus, error) {
	examples, err := ReadExamples(file)
	if err != nil {
		return nil, err
	}
	c := &Corpus{}
	for _, example := range examples {
		if u, err := url.Parse(example.URL); err == nil && u.Host != "" {
			c.hosts = append(c.hosts, u.Scheme+"://"+u.Host)
		}
		for _, text := range []string{example.Title, example.Description} {
			if words := strings.Fields(text); len(words) > 0 {
				c.texts = append(c.texts, words)
			}
		}
	}
	return c, nil
}

// phrase returns between low and high consecutive words of a random text, or fewer if
// the text is short.
func (c *Corpus) phrase(r *rand.Rand, low, high int) []string {
	words := c.texts[r.IntN(len(c.texts))]
	n := min(low+r.IntN(high-low+1), len(words))
	from := r.IntN(len(words) - n + 1)
	return words[from : from+n]
}

// input returns the n-th link. Each n has another URL.
func (c *Corpus) input(r *rand.Rand, n int) waymark.LinkInput {
	rawURL := []byte(c.hosts[r.IntN(len(c.hosts))])
	for _, word := range c.phrase(r, 1, 3) {
		rawURL = appendSlug(append(rawURL, '/'), word)
	}
	rawURL = strconv.AppendInt(append(rawURL, '/'), int64(n), 10)
	title := strings.Join(append(append([]string{}, c.phrase(r, 1, 5)...), c.phrase(r, 1, 3)...), " ")
	description := ""
	if r.IntN(10) < 7 {
		description = strings.Join(append(append([]string{}, c.phrase(r, 3, 12)...), c.phrase(r, 1, 6)...), " ")
	}
	return waymark.LinkInput{URL: string(rawURL), Title: &title, Description: &description}
}

// name returns the n-th name for a list or a tag.
func (c *Corpus) name(r *rand.Rand, n int) string {
	return waymark.NormalizeName(strings.Join(c.phrase(r, 1, 2), " ")) + " " + strconv.Itoa(n)
}

// appendSlug appends the letters and digits of a word in lower case, which need no
// escaping in a URL.
func appendSlug(b []byte, word string) []byte {
	for _, letter := range word {
		if unicode.IsLetter(letter) || unicode.IsMark(letter) || unicode.IsDigit(letter) {
			b = append(b, string(unicode.ToLower(letter))...)
		}
	}
	return b
}
