package bookmarks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// markupReader reads the tags and texts of HTML and XML. Its memory is bounded by Limits.Value:
// it skips longer tags, and passes longer texts in parts.
type markupReader struct {
	input
	yield   yieldFunc
	line    int    // of the current token
	element string // the name of the elements that have the URLs of bookmarks
}

// markupHandler gets what a markupReader reads.
type markupHandler interface {
	// startTag gets the attributes from the tokenizer. Names are in lower case.
	startTag(name string, selfClosing bool, z *html.Tokenizer) error
	endTag(name string) error
	addText(text []byte)
	// flush ends the current bookmark, if there is one.
	flush() error
}

// read reads the file.
func (m *markupReader) read(handler markupHandler) error {
	file := &pushbackReader{r: m.text}
	for {
		z := html.NewTokenizer(file)
		z.SetMaxBuf(m.limits.Value)
		err := m.readTokens(z, handler)
		if !errors.Is(err, html.ErrBufferExceeded) {
			return err
		}
		// A new tokenizer continues after the part that was too long.
		file.push(z.Buffered())
	}
}

// readTokens reads until the tokenizer ends. It returns html.ErrBufferExceeded if a new tokenizer
// can read the rest.
func (m *markupReader) readTokens(z *html.Tokenizer, handler markupHandler) error {
	for {
		kind := z.Next()
		lines := bytes.Count(z.Raw(), []byte("\n"))
		var err error
		switch kind {
		case html.ErrorToken:
			err = m.end(z, handler)
			m.line += lines
			return err
		case html.TextToken:
			handler.addText(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			z.NextIsNotRawText() // a title that is not escaped can contain <script>
			name, _ := z.TagName()
			err = handler.startTag(string(name), kind == html.SelfClosingTagToken, z)
		case html.EndTagToken:
			name, _ := z.TagName()
			err = handler.endTag(string(name))
		}
		if err != nil {
			return err
		}
		m.line += lines
	}
}

// end handles the end of the file, or a tag that is too long for the tokenizer.
func (m *markupReader) end(z *html.Tokenizer, handler markupHandler) error {
	cause, raw := z.Err(), z.Raw()
	atEnd, tooLong := errors.Is(cause, io.EOF), errors.Is(cause, html.ErrBufferExceeded)
	if !atEnd && !tooLong {
		return fmt.Errorf("line %d: read the file: %w", m.line, cause)
	}
	name, _, hasSpace := strings.Cut(strings.Map(spaces, string(raw[:min(len(raw), len("<")+len(m.element)+1)])), " ")
	inBookmark := hasSpace && strings.EqualFold(name, "<"+m.element)
	if atEnd || inBookmark {
		if err := handler.flush(); err != nil {
			return err
		}
	}
	if inBookmark {
		row := rowTooLong(m.line, m.limits.Value, fmt.Errorf("the tag of a bookmark is longer than %d bytes", m.limits.Value))
		if atEnd {
			row = noEnd(m.line, "the file ends inside a bookmark: it seems to be truncated")
		}
		if err := m.yield(Bookmark{}, row); err != nil {
			return err
		}
	}
	if atEnd {
		return nil
	}
	return cause
}

// spaces replaces white space by a space.
func spaces(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// pushbackReader is a reader to which bytes can be returned.
type pushbackReader struct {
	returned []byte
	r        io.Reader
}

func (p *pushbackReader) push(b []byte) { p.returned = append(bytes.Clone(b), p.returned...) }

// Read implements io.Reader.
func (p *pushbackReader) Read(b []byte) (int, error) {
	if len(p.returned) > 0 {
		n := copy(b, p.returned)
		p.returned = p.returned[n:]
		return n, nil
	}
	return p.r.Read(b)
}
