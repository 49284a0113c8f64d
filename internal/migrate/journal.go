package migrate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Journal is a file with the responses of another program, one a line, so that a migration that was
// interrupted does not request them again. Only one goroutine may use a Journal.
type Journal struct {
	file      *os.File
	removed   bool
	size      int64           // in bytes
	responses map[string]span // by path of the request
}

// span is the position of a line in the file, in bytes.
type span struct {
	offset int64
	length int
}

// journalHeader is the first line of a journal.
type journalHeader struct {
	Format string `json:"format"`
	Source string `json:"source"`
}

// journalLine is every other line.
type journalLine struct {
	Path     string          `json:"path"`
	Response json.RawMessage `json:"answer"`
}

const journalFormat = "waymark migration"

// OpenJournal opens or creates a journal. source identifies what the responses depend on, such as
// the address of the program. OpenJournal returns an error if the file has another source, or is
// not a journal.
func OpenJournal(name, source string) (j *Journal, err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j = &Journal{file: file, responses: map[string]span{}}
	if err := j.load(name, source); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// load reads the file. It removes the last line if it is incomplete.
func (j *Journal) load(name, source string) error {
	header, err := json.Marshal(journalHeader{journalFormat, source})
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(j.file, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if j.size == 0 && !bytes.HasPrefix(header, line) {
				return notJournalError(name)
			}
			break
		}
		if err != nil {
			return err
		}
		var first journalHeader
		var parsed journalLine
		switch {
		case j.size == 0 && (json.Unmarshal(line, &first) != nil || first.Format != journalFormat):
			return notJournalError(name)
		case j.size == 0 && first.Source != source:
			return fmt.Errorf("%s belongs to another migration: delete it, or choose another name with --journal", name)
		case j.size > 0:
			if err := json.Unmarshal(line, &parsed); err != nil {
				return fmt.Errorf("%s is damaged: delete it to start from the beginning: %w", name, err)
			}
			j.responses[parsed.Path] = span{j.size, len(line)}
		}
		j.size += int64(len(line))
	}
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	if j.size == 0 {
		return j.append(json.RawMessage(header))
	}
	return nil
}

func notJournalError(name string) error {
	return fmt.Errorf("%s is not the journal of a migration: choose another name with --journal", name)
}

// Responses returns the number of responses in the journal.
func (j *Journal) Responses() int { return len(j.responses) }

// find returns the response to a request, if it is in the journal. A nil Journal has none.
func (j *Journal) find(path string) (text []byte, found bool, err error) {
	if j == nil {
		return nil, false, nil
	}
	at, found := j.responses[path]
	if !found {
		return nil, false, nil
	}
	line := make([]byte, at.length)
	if _, err := j.file.ReadAt(line, at.offset); err != nil {
		return nil, false, err
	}
	var parsed journalLine
	err = json.Unmarshal(line, &parsed)
	return parsed.Response, true, err
}

// add stores a response, unless j is nil.
func (j *Journal) add(path string, response []byte) error {
	if j == nil {
		return nil
	}
	before := j.size
	if err := j.append(journalLine{path, response}); err != nil {
		return err
	}
	j.responses[path] = span{before, int(j.size - before)}
	return nil
}

// append writes a line. It does not sync the file: a response that is lost is requested again.
func (j *Journal) append(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	n, err := j.file.WriteAt(append(line, '\n'), j.size)
	if err != nil {
		return fmt.Errorf("write %s: %w", j.file.Name(), err)
	}
	j.size += int64(n)
	return nil
}

// Close closes the file, and deletes it if it has no responses. After Remove it does nothing.
func (j *Journal) Close() error {
	if j.removed {
		return nil
	}
	if len(j.responses) == 0 {
		return j.Remove()
	}
	return j.file.Close()
}

// Remove closes and deletes the file.
func (j *Journal) Remove() error {
	j.removed = true
	return errors.Join(j.file.Close(), os.Remove(j.file.Name()))
}
