package migrate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Journal is a file with the responses of another program, so that an interrupted migration does
// not request them again. Each line has one response. Only one goroutine may use a Journal.
type Journal struct {
	file    *os.File
	size    int64
	answers map[string]span // by path
}

// span is where a line is in the file.
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
	Path   string          `json:"path"`
	Answer json.RawMessage `json:"answer"`
}

const journalFormat = "waymark migration"

// OpenJournal opens or creates a journal. source identifies everything that the responses depend
// on, such as the address of the program. OpenJournal returns an error if the file belongs to
// another source.
func OpenJournal(name, source string) (j *Journal, err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j = &Journal{file: file, answers: map[string]span{}}
	if err := j.load(name, source); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// load reads the lines of the file. It removes the last one if it was not written to its end.
func (j *Journal) load(name, source string) error {
	lines := bufio.NewReaderSize(j.file, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		var header journalHeader
		var parsed journalLine
		switch {
		case j.size == 0 && (json.Unmarshal(line, &header) != nil || header.Format != journalFormat):
			return fmt.Errorf("%s is not a file of a migration: choose another name with --journal", name)
		case j.size == 0 && header.Source != source:
			return fmt.Errorf("%s belongs to another migration: delete it, or choose another name with --journal", name)
		case j.size > 0:
			if err := json.Unmarshal(line, &parsed); err != nil {
				return fmt.Errorf("%s is damaged: delete it to begin again: %w", name, err)
			}
			j.answers[parsed.Path] = span{j.size, len(line)}
		}
		j.size += int64(len(line))
	}
	if err := j.file.Truncate(j.size); err != nil {
		return err
	}
	if j.size == 0 {
		return j.append(journalHeader{journalFormat, source})
	}
	return nil
}

// Answers returns the number of answers in the journal.
func (j *Journal) Answers() int { return len(j.answers) }

// answer returns the answer to a request, if it is in the journal.
func (j *Journal) answer(path string) (text []byte, found bool, err error) {
	if j == nil {
		return nil, false, nil
	}
	at, found := j.answers[path]
	if !found {
		return nil, false, nil
	}
	line := make([]byte, at.length)
	if _, err := j.file.ReadAt(line, at.offset); err != nil {
		return nil, false, err
	}
	var parsed journalLine
	err = json.Unmarshal(line, &parsed)
	return parsed.Answer, true, err
}

// add stores an answer.
func (j *Journal) add(path string, answer []byte) error {
	if j == nil {
		return nil
	}
	before := j.size
	if err := j.append(journalLine{path, answer}); err != nil {
		return err
	}
	j.answers[path] = span{before, int(j.size - before)}
	return nil
}

// append writes a line. A crash of the system may lose the line; the response is then requested
// again.
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

// Close closes the file, and deletes it if it has no answers.
func (j *Journal) Close() error {
	if len(j.answers) == 0 {
		return j.Remove()
	}
	return j.file.Close()
}

// Remove closes and deletes the file.
func (j *Journal) Remove() error { return errors.Join(j.file.Close(), os.Remove(j.file.Name())) }
