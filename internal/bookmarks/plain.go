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
	"unicode"

	"waymark/internal/waymark"
)

// readPlain reads a list of URLs, one a line or more, with a title before or after each. The list
// can have the markup of Markdown, Org, AsciiDoc, reStructuredText, MediaWiki or Textile. Empty lines
// and those that begin with # are comments, unless they have a link in markup.
func readPlain(in input, yield yieldFunc) error {
	r := &listReader{input: in, yield: yield, texts: map[string]string{}}
	for {
		line, err := r.readLine()
		atEnd := errors.Is(err, io.EOF)
		first := r.number
		switch {
		case errors.Is(err, errBudget):
			err = yield(Bookmark{}, rowTooLong(first, in.limits.Value, fmt.Errorf("the line is longer than %d bytes", in.limits.Value)))
		case err != nil && !atEnd:
			return fmt.Errorf("line %d: read the file: %w", first, err)
		default:
			for range maxJoinedLines { // a link over several lines
				if atEnd || len(line) > maxOpenLine || !strings.ContainsAny(line, "[`") || nextURL(line) >= 0 || !openLink.MatchString(line) {
					break
				}
				next, err := r.readLine()
				if atEnd = errors.Is(err, io.EOF); err != nil && !atEnd {
					return fmt.Errorf("line %d: read the file: %w", r.number, err)
				}
				line += " " + next
			}
			err = r.line(first, line)
		}
		if err != nil {
			return err
		}
		if atEnd {
			return r.end()
		}
	}
}

// The end of a line at which a link has begun that goes on in the next one.
var openLink = regexp.MustCompile("\\[[^\\]]*$|\\]\\(\\s*$|^[^`]*`[^`]*$")

const (
	maxJoinedLines = 3
	maxOpenLine    = 4 << 10 // bytes
)

// listReader is the state of readPlain.
type listReader struct {
	input
	yield  yieldFunc
	number int               // of the last line
	texts  map[string]string // of links of Markdown, by the label whose URL follows

	table asciidocTable

	before       string // the line before, if it has no link and can be the title of the next one
	beforeNumber int
}

func (r *listReader) readLine() (string, error) {
	r.number++
	line, err := readLine(r.text, r.limits.Value)
	return strings.TrimSpace(string(line)), err
}

// Tags at the end of a line, as buku writes them: <!-- TAGS: a,b --> in Markdown, :a:b: in Org.
var (
	markdownTags = regexp.MustCompile(`<!-- TAGS: (.*?) -->\s*$`)
	orgTags      = regexp.MustCompile(`^(\*.*?)\s:([^\s:][^\s]*):$`)
	reference    = regexp.MustCompile(`\[([^\[\]]+)\]\[([^\[\]]*)\]`)
)

// line yields the links of a line.
func (r *listReader) line(number int, line string) error {
	if strings.HasPrefix(line, "|===") || r.table.isOpen {
		return r.tableLine(number, line)
	}
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
	links, rest := findLinks(line)
	if url, title, ok := strings.Cut(line, " | "); ok && nextURL(line) == 0 && !strings.ContainsAny(url, " \t") { // of OneTab
		links, rest = []foundLink{{url: url, title: title}}, ""
	}
	if len(links) == 0 {
		links, rest = findOtherURL(line)
	}
	titleBefore := ""
	if len(links) == 1 && number == r.beforeNumber+1 && nextURL(line) >= 0 && cleanTitle(links[0].title+rest) == "" {
		titleBefore, r.before = r.before, ""
	}
	if err := r.end(); err != nil {
		return err
	}
	if len(links) == 0 {
		return r.noLink(number, line)
	}
	for i, link := range links {
		b := Bookmark{Line: number, URL: cleanURL(link.url), Title: cleanTitle(link.title), Tags: tags}
		if link.isMarkup {
			b.Title = strings.Trim(cleanLine(link.title), "*_` ")
		}
		if slices.Contains(urlNames, normalName(b.Title)) { // url: https://example.com/
			b.Title = ""
		}
		switch {
		case link.label != "":
			b.Title = cleanTitle(cmp.Or(r.texts[strings.ToLower(link.label)], link.title, link.label))
		case titleBefore != "":
			b.Title = cleanTitle(titleBefore)
		case i > 0 || len(links) > 1:
		case link.isMarkup:
			b.Description = cleanTitle(rest)
		case b.Title == "":
			b.Title = cleanTitle(rest)
		}
		if err := r.yield(b, nil); err != nil {
			return err
		}
	}
	return nil
}

// noLink handles a line without a URL. The URLs of references follow.
func (r *listReader) noLink(number int, line string) error {
	references := reference.FindAllStringSubmatch(line, -1)
	for _, match := range references {
		label := strings.ToLower(cmp.Or(match[2], match[1]))
		if len(r.texts) < maxReferences && len(label) < maxOpenLine {
			r.texts[label] = match[1]
		}
	}
	if len(references) > 0 {
		return nil
	}
	if !strings.HasSuffix(line, ":") && !listMark.MatchString(line) {
		r.before, r.beforeNumber = line, number
		return nil
	}
	return r.noURL(number, line)
}

// end yields the last row of a table, or reports the line before, if it was no title.
func (r *listReader) end() error {
	if err := r.endRow(); err != nil {
		return err
	}
	line := r.before
	if r.before = ""; line == "" {
		return nil
	}
	return r.noURL(r.beforeNumber, line)
}

func (r *listReader) noURL(number int, line string) error {
	return r.yield(Bookmark{Line: number}, noURL(number, "no URL in %.200q", line))
}

// maxReferences is the number of references whose texts are kept until their URLs follow.
const maxReferences = 10_000

// Marks of lists, headings and tasks, which are no part of a title.
var listMark = regexp.MustCompile(`^(?:[-*+•>=|#:~–—\s]+|\d+[.)](?:\s|$)|\[[ xX]?\](?:\s|$))+`)

// cleanTitle returns a title without the markup around it.
func cleanTitle(text string) string {
	text = listMark.ReplaceAllString(cleanLine(text), "")
	text = strings.TrimRight(text, "-*•|:<[({ \t–—_`“„«：（「『《【")
	text = strings.TrimLeft(text, "*_`]})>”»,;:.| \t，。、；：）」』》】")
	if strings.Count(text, `"`)%2 == 1 {
		text = strings.Trim(text, `"`)
	}
	if strings.IndexFunc(text, func(c rune) bool { return isLetterOrDigit(c) || unicode.IsSymbol(c) }) < 0 {
		return ""
	}
	return cleanLine(text)
}

// opaqueSchemes are the schemes without // that lists have. Other words before a colon are text: NAME:Ann.
var opaqueSchemes = strings.Fields("mailto magnet tel about urn sms geo xmpp spotify javascript data")

// findOtherURL returns the URL of a line that begins with another scheme than those of the web.
func findOtherURL(line string) (links []foundLink, rest string) {
	first, rest, _ := strings.Cut(line, " ")
	scheme, after, ok := waymark.SplitScheme(first)
	if ok && after != "" && (strings.HasPrefix(after, "//") || slices.Contains(opaqueSchemes, scheme)) {
		return []foundLink{{url: first}}, rest
	}
	return nil, ""
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

// asciidocTable is a table of AsciiDoc between lines |===, with a row on each line, or a cell on each line
// and an empty line after a row.
type asciidocTable struct {
	isOpen bool
	width  int      // the number of cells of the first row, which can be a header; 0 before it
	row    []string // the cells of the row that has not ended
	number int      // of its first line
}

// tableLine reads a line of a table.
func (r *listReader) tableLine(number int, line string) error {
	t := &r.table
	cells := strings.Split(line, "|")
	switch {
	case strings.HasPrefix(line, "|==="):
		err := r.end()
		*t = asciidocTable{isOpen: !t.isOpen}
		return err
	case line == "":
		return r.endRow()
	case len(cells) > 2: // a whole row
		if err := r.endRow(); err != nil {
			return err
		}
		t.row, t.number = cells[1:], number
		return r.endRow()
	case len(cells) == 2 && cells[0] == "":
		hasURL := func(cell string) bool { return nextURL(cell) >= 0 }
		isFull := len(t.row) == t.width || t.width == 0 && nextURL(cells[1]) >= 0 && slices.ContainsFunc(t.row, hasURL)
		if isFull { // without an empty line
			if err := r.endRow(); err != nil {
				return err
			}
		}
		t.row = append(t.row, cells[1])
	default: // the cell goes on
		t.row = append(t.row[:max(len(t.row)-1, 0)], strings.Join(append(t.row[max(len(t.row)-1, 0):], line), " "))
	}
	if len(t.row) == 1 {
		t.number = number
	}
	return nil
}

// endRow yields the bookmark of the current row: the title is the first other cell, and the description
// the rest.
func (r *listReader) endRow() error {
	row, number, isFirst := r.table.row, r.table.number, r.table.width == 0
	if r.table.row = nil; len(row) == 0 {
		return nil
	}
	if isFirst {
		r.table.width = len(row)
	}
	b := Bookmark{Line: number}
	var others []string
	for _, cell := range row {
		links, _ := findLinks(cell)
		if len(links) == 0 || b.URL != "" {
			others = append(others, cleanLine(cell))
			continue
		}
		b.URL, b.Title = cleanURL(links[0].url), cleanTitle(links[0].title)
	}
	if b.URL == "" {
		if isFirst {
			return nil
		}
		return r.noURL(number, strings.Join(others, " "))
	}
	if b.Title == "" && len(others) > 0 {
		b.Title, others = others[0], others[1:]
	}
	b.Description = strings.Join(others, ", ")
	return r.yield(b, nil)
}
