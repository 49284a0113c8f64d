package bookmarks

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// readPlain reads a list of URLs, one a line or more, with a title before or after each. The list
// can have the markup of Markdown, Org or HTML. Empty lines and those that begin with #
// are comments, unless they have a link in markup.
func readPlain(in input, yield yieldFunc) error {
	r := &listReader{yield: yield}
	for number := 1; ; number++ {
		line, err := readLine(in.text, in.limits.Value)
		atEnd := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, errBudget):
			err = yield(Bookmark{}, rowTooLong(number, in.limits.Value, "the line"))
		case err != nil && !atEnd:
			return fmt.Errorf("line %d: read the file: %w", number, err)
		default:
			err = r.line(number, strings.TrimSpace(string(line)))
		}
		if err != nil {
			return err
		}
		if atEnd {
			return r.end()
		}
	}
}

// listReader reads the lines of a list.
type listReader struct {
	yield        yieldFunc
	before       string // the line before, if it has no link and can be the title of the next one
	beforeNumber int
}

// Tags at the end of a line, as buku writes them: <!-- TAGS: a,b --> in Markdown, :a:b: in Org.
var (
	markdownTags = regexp.MustCompile(`<!-- TAGS: (.*?) -->\s*$`)
	orgTags      = regexp.MustCompile(`^(\*.*?)\s:([^\s:][^\s]*):$`)
)

// line yields the links of a line.
func (r *listReader) line(number int, line string) error {
	isComment := strings.HasPrefix(line, "#") && !strings.Contains(line, "](") && !strings.Contains(line, "[[")
	if isComment || strings.IndexFunc(line, isLetterOrDigit) < 0 {
		return nil
	}
	var tags []string
	if match := markdownTags.FindStringSubmatchIndex(line); match != nil {
		tags, line = splitTags(line[match[2]:match[3]]), line[:match[0]]
	} else if match := orgTags.FindStringSubmatch(line); match != nil {
		tags, line = splitTags(strings.ReplaceAll(match[2], ":", ",")), match[1]
	}
	links := linksOf(number, line)
	if url, title, ok := strings.Cut(line, " | "); ok && nextURL(line) == 0 && !strings.ContainsAny(url, " \t") { // of OneTab
		links = []Bookmark{{Line: number, URL: cleanURL(url), Title: cleanTitle(title)}}
	}
	if len(links) == 0 {
		links = findOtherURL(number, line)
	}
	titleBefore := ""
	if len(links) == 1 && number == r.beforeNumber+1 && nextURL(line) >= 0 && cleanTitle(strings.Replace(line, links[0].URL, "", 1)) == "" {
		titleBefore, r.before = cleanTitle(r.before), ""
	}
	if err := r.end(); err != nil {
		return err
	}
	if len(links) == 0 {
		isTitle := strings.HasPrefix(line, "|") || !strings.HasSuffix(line, ":") && !listSign.MatchString(line)
		if !isTitle {
			return r.noURL(number, line)
		}
		r.before, r.beforeNumber = line, number
	}
	for _, b := range links {
		b.Tags, b.Title = tags, cmp.Or(titleBefore, b.Title)
		if err := r.yield(b, nil); err != nil {
			return err
		}
	}
	return nil
}

// end reports the line before, if it was no title.
func (r *listReader) end() error {
	line := r.before
	if r.before = ""; line == "" {
		return nil
	}
	return r.noURL(r.beforeNumber, line)
}

func (r *listReader) noURL(number int, line string) error {
	return r.yield(Bookmark{Line: number}, noURL(number, "no URL in %.200q", line))
}

// opaqueSchemes are the schemes without // that lists have. Other words before a colon are text: NAME:Ann.
var opaqueSchemes = strings.Fields("mailto magnet tel about urn sms geo xmpp spotify javascript data")

// findOtherURL returns the bookmark in a line that begins with another scheme than those of the web.
func findOtherURL(number int, line string) []Bookmark {
	first, rest, _ := strings.Cut(line, " ")
	scheme, after, ok := waymark.SplitScheme(first)
	if ok && after != "" && (strings.HasPrefix(after, "//") || slices.Contains(opaqueSchemes, scheme)) {
		return []Bookmark{{Line: number, URL: cleanURL(first), Title: cleanTitle(rest)}}
	}
	return nil
}

// readLine returns the next line of at most limit bytes, without its end. It returns
// errBudget for a longer one, and reads over it. io.EOF comes with the last line.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	isTooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if isTooLong = isTooLong || len(line)+len(part) > limit; !isTooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && isTooLong, errors.Is(err, io.EOF) && isTooLong:
			return nil, errBudget
		default:
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}
