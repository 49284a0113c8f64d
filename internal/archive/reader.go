package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"waymark/internal/waymark"
)

// Read yields the entities of an archive. After an error of type
// *RowError, which concerns one line, it goes on. It stops after any other error: ErrFormat,
// ErrIncomplete, or an error of reading r.
//
// If a link refers to a list or tag that the archive does not have, Read yields a RowError and then
// the link without it. Read skips types and fields that this version does not know, with one
// RowError for each type. It needs a few times MaxLine of memory, and 8 bytes for each list and tag.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		a := &reader{lines: bufio.NewReaderSize(r, 64<<10), yield: yield, unknown: map[string]bool{}}
		if err := a.read(); err != nil && !a.stopped {
			yield(Record{}, err)
		}
	}
}

// reader reads one archive.
type reader struct {
	lines    *bufio.Reader
	line     int // the number of the current line
	buf      []byte
	sequence sequence
	entities int             // the number of lines with entities, including unknown and damaged ones
	unknown  map[string]bool // the types that were reported, because they or one of their fields are not known
	yield    func(Record, error) bool
	stopped  bool // yield has returned false
}

// maxUnknown is the maximum number of types that are reported.
const maxUnknown = 100

func (a *reader) read() error {
	if err := a.readHeader(); err != nil {
		return err
	}
	for !a.stopped {
		text, err := a.next()
		switch {
		case errors.Is(err, io.EOF):
			return ErrIncomplete
		case errors.Is(err, errLongLine):
			a.entities++
			a.report(fmt.Errorf("%w than %d bytes", err, MaxLine), waymark.Problem{Field: waymark.FieldLine, Rule: waymark.RuleMaxBytes, Limit: MaxLine})
		case err != nil:
			return err
		case len(text) == 0: // some editors add an empty line
		default:
			if ended := a.readLine(text); ended {
				return a.readRest()
			}
		}
	}
	return nil
}

func (a *reader) readHeader() error {
	text, err := a.next()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errLongLine) {
		return err
	}
	var h header
	if err != nil || json.Unmarshal(text, &h) != nil || h.Format != formatName {
		return fmt.Errorf(`%w: its first line is not {"format":%q,"version":%d}`, ErrFormat, formatName, Version)
	}
	if h.Version != Version {
		return fmt.Errorf("%w that this version can read: the archive has version %d of the format, this is version %d: use a newer Waymark", ErrFormat, h.Version, Version)
	}
	return nil
}

// readRest reports text after the last line of the archive.
func (a *reader) readRest() error {
	for !a.stopped {
		switch text, err := a.next(); {
		case errors.Is(err, io.EOF):
			return nil
		case len(text) > 0, errors.Is(err, errLongLine):
			a.report(errors.New("the archive has ended before this line: what follows was not read"), waymark.Problem{Field: waymark.FieldEntities, Rule: waymark.RuleMaxCount, Limit: a.entities})
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// readLine yields the entity of a line. It returns true if the line is the last one of the archive.
func (a *reader) readLine(text []byte) (ended bool) {
	var kind struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(text, &kind)
	if err == nil && kind.Type == endType {
		a.readEnd(text)
		return true
	}
	a.entities++
	if err != nil {
		a.report(jsonError(err), malformed)
		return false
	}
	decode, ok := entityDecoders[kind.Type]
	switch {
	case kind.Type == "":
		a.report(errors.New("the line has no type"), malformed)
		return false
	case !ok: // a newer version may have written the line
		if a.isNew(kind.Type) {
			a.report(fmt.Errorf("the type %.100q is not known to this version of Waymark: lines of this type are skipped", kind.Type), waymark.Problem{Field: waymark.FieldLine, Rule: waymark.RuleExists})
		}
		return false
	}
	entity, err := decode(a, kind.Type, text)
	if err == nil {
		err = a.sequence.next(entity)
	}
	if err != nil {
		a.report(err, malformed)
		return false
	}
	if link, ok := entity.(Link); ok {
		if err := missing("list", link.Lists, a.sequence.lists); err != nil {
			a.reportPart(link.URL, err, waymark.Problem{Field: waymark.FieldLists, Rule: waymark.RuleExists})
		}
		if err := missing("tag", link.Tags, a.sequence.tags); err != nil {
			a.reportPart(link.URL, err, waymark.Problem{Field: waymark.FieldTags, Rule: waymark.RuleExists})
		}
		link.Lists, link.Tags = known(link.Lists, a.sequence.lists), known(link.Tags, a.sequence.tags)
		entity = link
	}
	if !a.stopped {
		a.stopped = !a.yield(Record{a.line, entity}, nil)
	}
	return false
}

// readEnd compares the number of entities with that in the last line.
func (a *reader) readEnd(text []byte) {
	var last end
	if err := a.decode(endType, text, &last); err != nil {
		a.report(err, malformed)
	} else if last.Entities != a.entities {
		a.report(fmt.Errorf("the archive should have %d entities, but has %d", last.Entities, a.entities), waymark.Problem{Field: waymark.FieldEntities, Rule: waymark.RuleRequired, Limit: last.Entities})
	}
}

// decode decodes a line into v. It ignores unknown fields, and reports the first one of a type.
func (a *reader) decode(kind string, text []byte, v any) error {
	if !a.unknown[kind] {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(v)
		if err == nil {
			return nil // readLine has checked that nothing follows the value
		}
		field, isUnknown := strings.CutPrefix(err.Error(), "json: unknown field ")
		if !isUnknown {
			return jsonError(err)
		}
		if a.isNew(kind) {
			a.reportPart("", fmt.Errorf("fields of the type %s are not known to this version of Waymark, such as %.100s: they are left out", kind, field), waymark.Problem{Field: waymark.FieldLine, Rule: waymark.RuleExists})
		}
	}
	if err := json.Unmarshal(text, v); err != nil {
		return jsonError(err)
	}
	return nil
}

// jsonError returns an error of encoding/json in words for users.
func jsonError(err error) error {
	if wrongType, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrongType.Field == "" {
			return fmt.Errorf("the line is not a JSON object but of the type %s", wrongType.Value)
		}
		field := wrongType.Field[strings.LastIndexByte(wrongType.Field, '.')+1:] // without the names of embedded types
		return fmt.Errorf("the field %q cannot be of the type %s", field, wrongType.Value)
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("the line is not a JSON object: %w", err)
	}
	return err
}

// malformed is the problem of a line that an archive cannot have, or not in this place.
var malformed = waymark.Problem{Field: waymark.FieldLine, Rule: waymark.RuleFormat}

// report yields the error of a line that cannot be read.
func (a *reader) report(err error, problem waymark.Problem) {
	a.yieldError(RowError{Line: a.line, Err: err, Problem: problem})
}

// reportPart yields the error of a part of a line. The rest of the line is read. url is the URL of
// the link in the line, "" if there is none.
func (a *reader) reportPart(url string, err error, problem waymark.Problem) {
	a.yieldError(RowError{Line: a.line, URL: url, Part: true, Err: err, Problem: problem})
}

func (a *reader) yieldError(row RowError) {
	if !a.stopped {
		a.stopped = !a.yield(Record{}, &row)
	}
}

// isNew reports whether a type that is not known, or has such fields, occurs for the first time and should be reported.
func (a *reader) isNew(kind string) bool {
	if a.unknown[kind] || len(a.unknown) >= maxUnknown {
		return false
	}
	a.unknown[kind] = true
	return true
}

// errLongLine means that a line was skipped because it is too long.
var errLongLine = errors.New("the line is longer")

// next returns the next line without its line ending, or io.EOF. It skips a line that is too long,
// without keeping it in memory, and returns errLongLine.
func (a *reader) next() ([]byte, error) {
	a.line++
	a.buf = a.buf[:0]
	long := false
	for {
		part, err := a.lines.ReadSlice('\n')
		if long = long || len(a.buf)+len(part) > MaxLine+len("\r\n"); !long {
			a.buf = append(a.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		case err == nil, errors.Is(err, io.EOF) && len(a.buf) > 0:
			return bytes.TrimRight(a.buf, "\r\n"), nil
		default:
			return nil, err
		}
	}
}
