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
	started  time.Time
	shown    time.Time // the last time
}

func newProgress(to io.Writer) *progress {
	p := &progress{to: to, terminal: isTerminal(to), started: time.Now()}
	if !p.terminal {
		p.shown = time.Now()
	}
	return p
}

// eraseLine moves to the beginning of the line and erases it.
const eraseLine = "\r\x1b[K"

// update shows how many are done of a total, in place of what it showed before, if it is time to: a bar on a terminal, the
// number, the rate and the time left.
func (p *progress) update(done, total int, unit string) {
	interval := 5 * time.Second
	if p.terminal {
		interval = 100 * time.Millisecond
	}
	if time.Since(p.shown) < interval {
		return
	}
	p.shown = time.Now()
	elapsed := time.Since(p.started)
	text := fmt.Sprintf("%d of %d %s, %.0f/s", done, total, unit, float64(done)/elapsed.Seconds())
	if done > 0 {
		left := time.Duration(float64(elapsed) * float64(total-done) / float64(done))
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	if !p.terminal {
		fmt.Fprintln(p.to, text)
		return
	}
	const width = 20
	full := min(done, total) * width / max(total, 1) // a small file has 0 KiB
	fmt.Fprintf(p.to, "%s[%s%s] %s", eraseLine, strings.Repeat("#", full), strings.Repeat(".", width-full), text)
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
		fmt.Fprintf(p.to, "%s", eraseLine)
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
