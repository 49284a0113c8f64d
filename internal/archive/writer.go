package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Writer writes an archive, one line for each entity. The same entities give the same bytes.
type Writer struct {
	w        io.Writer
	buf      bytes.Buffer // the line that is being written
	encoder  *json.Encoder
	sequence sequence
	entities int
	err      error
}

// NewWriter writes the first line to w, which should be buffered, and returns a Writer. The caller
// must call Close after the last entity.
func NewWriter(w io.Writer) *Writer {
	a := &Writer{w: w, sequence: sequence{maxLabels: Limits{}.withDefaults().Labels}}
	a.encoder = json.NewEncoder(&a.buf)
	a.encoder.SetEscapeHTML(false)
	a.write(header{Format: formatName, Version: Version})
	return a
}

// header is the first line.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// typed has the first field of all other lines.
type typed struct {
	Type string `json:"type"`
}

// end is the last line. An archive without it is incomplete.
type end struct {
	typed
	Entities int `json:"entities"`
}

const endType = "end"

// Write writes an entity. It returns an error if the entity is out of order (see Entity), or refers to
// a list, tag or link that was not written. After an error, Write and Close write nothing and return
// the same error.
func (a *Writer) Write(e Entity) error {
	if a.err != nil {
		return a.err
	}
	if _, ok := e.(AttachmentData); !ok && !a.hasData() {
		return a.err
	}
	if a.err = a.sequence.next(e); a.err != nil {
		return a.err
	}
	kind := typed{e.entityType()}
	switch e := e.(type) {
	case Settings:
		a.write(struct {
			typed
			Settings
		}{kind, e})
	case List:
		a.write(struct {
			typed
			List
		}{kind, e})
	case Tag:
		a.write(struct {
			typed
			Tag
		}{kind, e})
	case Link:
		if a.err = a.sequence.checkLabels(e); a.err == nil {
			a.write(struct {
				typed
				Link
			}{kind, e})
		}
	case Note:
		a.write(struct {
			typed
			Note
		}{kind, e})
	case TextSnapshot:
		a.write(struct {
			typed
			TextSnapshot
		}{kind, e})
	case FullSnapshot:
		a.write(struct {
			typed
			FullSnapshot
		}{kind, e})
	case Attachment:
		a.write(struct {
			typed
			Attachment
		}{kind, e})
	case AttachmentData:
		a.write(struct {
			typed
			AttachmentData
		}{kind, e})
	case Bundle:
		a.write(struct {
			typed
			Bundle
		}{kind, e})
	case SavedSearch:
		a.write(struct {
			typed
			SavedSearch
		}{kind, e})
	}
	a.entities++
	return a.err
}

// Close writes the last line. It does not close the underlying writer.
func (a *Writer) Close() error {
	if !a.hasData() {
		return a.err
	}
	a.write(end{typed{endType}, a.entities})
	return a.err
}

// hasData sets an error if data of the last attachment is missing.
func (a *Writer) hasData() bool {
	if a.err == nil && a.sequence.left > 0 {
		a.err = fmt.Errorf("%d bytes of an attachment are missing", a.sequence.left)
	}
	return a.err == nil
}

func (a *Writer) write(line any) {
	if a.err != nil {
		return
	}
	a.buf.Reset()
	if a.err = a.encoder.Encode(line); a.err != nil {
		return
	}
	_, a.err = a.w.Write(a.buf.Bytes())
}
