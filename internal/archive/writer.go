package archive

import (
	"bytes"
	"encoding/json"
	"io"
)

// Writer writes an archive, one line for each entity. The same entities give the same bytes.
type Writer struct {
	w        io.Writer
	buf      bytes.Buffer // the line that is being written
	encoder  *json.Encoder
	entities int
	err      error
}

// NewWriter writes the first line to w, which should be buffered, and returns a Writer. The caller
// must call Close after the last entity.
func NewWriter(w io.Writer) *Writer {
	a := &Writer{w: w}
	a.encoder = json.NewEncoder(&a.buf)
	a.encoder.SetEscapeHTML(false)
	a.write("", header{Format: formatName, Version: Version})
	return a
}

// header is the first line.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// end is the last line. An archive without it is incomplete.
type end struct {
	typeField
	Entities int `json:"entities"`
}

const endType = "end"

// Write writes an entity. The caller keeps the order: see Entity. After an error, Write and Close write nothing.
func (a *Writer) Write(e Entity) {
	name, _ := e.kind()
	a.write(name, e)
	a.entities++
}

// Err returns the first error of Write.
func (a *Writer) Err() error { return a.err }

// Close writes the last line, and returns the first error of the Writer. It does not close the underlying writer.
func (a *Writer) Close() error {
	a.write(endType, end{Entities: a.entities})
	return a.err
}

// write writes a line. Its first field is its type, "" for none.
func (a *Writer) write(kind string, line any) {
	if a.err != nil {
		return
	}
	a.buf.Reset()
	if a.err = a.encoder.Encode(line); a.err != nil {
		return
	}
	text := a.buf.Bytes()
	if kind != "" {
		begin := `{"type":"` + kind + `"`
		if text[1] != '}' {
			begin += ","
		}
		if _, a.err = io.WriteString(a.w, begin); a.err != nil {
			return
		}
		text = text[1:]
	}
	_, a.err = a.w.Write(text)
}
