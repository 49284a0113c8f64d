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

// fewWords is what links are made of where no file with real ones is at hand.
//
//go:embed words.ndjson
var fewWords []byte

// Example is a link as a file of links has it: an object a line.
type Example struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	List        string `json:"list"`
	Source      string `json:"source"`
}

// ReadExamples reads the links in a file.
func ReadExamples(file string) ([]Example, error) {
	lines, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	examples, err := parseExamples(lines)
	if err == nil && len(examples) == 0 {
		err = errors.New("it has no links")
	}
	if err != nil {
		return nil, fmt.Errorf("the file of links %s: %w", file, err)
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

// Corpus is what new links are made of: the hosts and the words of others.
type Corpus struct {
	hosts []string   // https://go.dev, each as often as it occurs
	texts [][]string // the words of titles and descriptions
}

// ReadCorpus takes hosts and words from a file of links, or from a few links in
// many scripts that this package brings along where file is "".
func ReadCorpus(file string) (*Corpus, error) {
	examples, err := parseExamples(fewWords)
	if file != "" {
		examples, err = ReadExamples(file)
	}
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

// phrase returns from least to most words that stand side by side in some text, or
// fewer where the text is short.
func (c *Corpus) phrase(r *rand.Rand, least, most int) []string {
	words := c.texts[r.IntN(len(c.texts))]
	n := min(least+r.IntN(most-least+1), len(words))
	from := r.IntN(len(words) - n + 1)
	return words[from : from+n]
}

// input returns the n-th link: no other n has its address.
func (c *Corpus) input(r *rand.Rand, n int) waymark.LinkInput {
	address := []byte(c.hosts[r.IntN(len(c.hosts))])
	for _, word := range c.phrase(r, 1, 3) {
		address = appendSlug(append(address, '/'), word)
	}
	address = strconv.AppendInt(append(address, '/'), int64(n), 10)
	title := strings.Join(append(append([]string{}, c.phrase(r, 1, 5)...), c.phrase(r, 1, 3)...), " ")
	description := ""
	if r.IntN(10) < 7 {
		description = strings.Join(append(append([]string{}, c.phrase(r, 3, 12)...), c.phrase(r, 1, 6)...), " ")
	}
	return waymark.LinkInput{URL: string(address), Title: &title, Description: &description}
}

// name returns the n-th name for a list or a tag.
func (c *Corpus) name(r *rand.Rand, n int) string {
	return waymark.NormalizeName(strings.Join(c.phrase(r, 1, 2), " ")) + " " + strconv.Itoa(n)
}

// appendSlug appends what of a word can stand in an address as it is.
func appendSlug(b []byte, word string) []byte {
	for _, letter := range word {
		if unicode.IsLetter(letter) || unicode.IsMark(letter) || unicode.IsDigit(letter) {
			b = append(b, string(unicode.ToLower(letter))...)
		}
	}
	return b
}
