package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
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

// end erases the line.
func (l *statusLine) end() {
	if l.terminal {
		fmt.Fprintf(l.to, "%s", eraseLine)
	}
}

// progress shows the progress of a command, on a terminal with a bar, which stays at the end.
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
	p.line.shown = time.Now()
	if !p.line.terminal {
		fmt.Fprintf(p.line.to, "%d of %d %s\n", done, total, p.unit)
		return
	}
	const width = 40
	full := width
	if total > 0 {
		full = width * done / total
	}
	fmt.Fprintf(p.line.to, "\r[%s%s] %d of %d %s", strings.Repeat("#", full), strings.Repeat(".", width-full), done, total, p.unit)
}

// end moves to the line below the bar, if it was printed.
func (p *progress) end() {
	if p.line.terminal && !p.line.shown.IsZero() {
		fmt.Fprintln(p.line.to)
	}
}
