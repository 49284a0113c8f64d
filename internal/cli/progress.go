package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows how far a command is: on a terminal in one line that it replaces, elsewhere, such
// as in a log, in a new line every few seconds.
type progress struct {
	to       io.Writer
	terminal bool
	shown    time.Time // the last time
}

func newProgress(to io.Writer) *progress {
	p := &progress{to: to, terminal: isTerminal(to)}
	if !p.terminal {
		p.shown = time.Now()
	}
	return p
}

// eraseLine moves to the beginning of the line and erases it.
const eraseLine = "\r\x1b[K"

// update shows how many are done, in place of what it showed before, if it is time to.
func (p *progress) update(done, total int, unit string) {
	interval, line := 5*time.Second, "%d of %d %s\n"
	if p.terminal {
		interval, line = 100*time.Millisecond, eraseLine+"%d of %d %s"
	}
	if time.Since(p.shown) >= interval {
		p.shown = time.Now()
		fmt.Fprintf(p.to, line, done, total, unit)
	}
}

// links is update for links.
func (p *progress) links(done, total int) { p.update(done, total, "links") }

// print prints a line above the progress.
func (p *progress) print(format string, args ...any) {
	p.end()
	fmt.Fprintf(p.to, format+"\n", args...)
}

// end erases the line.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.to, eraseLine)
	}
}

// printable returns a text of a file without characters that control a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' {
			return '\ufffd'
		}
		return r
	}, text)
}
