package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// statusLine shows how far a command is: on a terminal in one line that it replaces, elsewhere, such
// as in a log, in a new line every few seconds.
type statusLine struct {
	to       io.Writer
	terminal bool
	shown    time.Time // the last time
}

// isDue reports whether it is time to show the line again.
func (l *statusLine) isDue() bool {
	interval := 5 * time.Second
	if l.terminal {
		interval = 100 * time.Millisecond
	}
	return time.Since(l.shown) >= interval
}

// fits reports whether a text fits into one line of the terminal, and so can be replaced.
func (l *statusLine) fits(text string) bool {
	file, ok := l.to.(*os.File)
	if !ok {
		return true
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	return err != nil || columns == 0 || len(text) < columns
}

// eraseLine moves to the beginning of the line and erases it.
const eraseLine = "\r\x1b[K"

// show shows a text in place of the one before.
func (l *statusLine) show(text string) {
	l.shown = time.Now()
	if l.terminal {
		fmt.Fprintf(l.to, "%s%s", eraseLine, text)
		return
	}
	fmt.Fprintln(l.to, text)
}

// showWithBar shows a text, on a terminal that is wide enough with a bar in front.
func (l *statusLine) showWithBar(text string, done, total int64) {
	if bar := progressBar(done, total); l.terminal && l.fits(bar+text) {
		text = bar + text
	}
	l.show(text)
}

// end erases the line.
func (l *statusLine) end() {
	if l.terminal {
		fmt.Fprintf(l.to, "%s", eraseLine)
	}
}

// progressBar returns a bar that shows how much is done, "" if the total is not known.
func progressBar(done, total int64) string {
	if total == 0 {
		return ""
	}
	const width = 40
	full := int(min(done, total) * width / total)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "] "
}

// progress shows the progress of a command with a bar. The line stays at the end.
type progress struct {
	line statusLine
	unit string
	done int
}

func newProgress(to io.Writer, unit string) *progress {
	return &progress{line: statusLine{to: to, terminal: isTerminal(to)}, unit: unit}
}

func (p *progress) update(done, total int) {
	p.done = done
	if done < total && !p.line.isDue() {
		return
	}
	p.line.showWithBar(fmt.Sprintf("%d of %d %s", done, total, p.unit), int64(done), int64(total))
}

// end moves to the next line, if one was printed.
func (p *progress) end() {
	if p.line.terminal && !p.line.shown.IsZero() {
		fmt.Fprintln(p.line.to)
	}
}
