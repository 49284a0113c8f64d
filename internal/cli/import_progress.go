package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"waymark/internal/waymark"
)

// importProgress prints the progress of an import: a bar on a terminal, else a line every few
// seconds. The problems are lines of their own.
type importProgress struct {
	to      io.Writer
	bar     bool
	started time.Time
	shown   time.Time
}

func newImportProgress(to io.Writer) *importProgress {
	return &importProgress{to: to, bar: isTerminal(to), started: time.Now(), shown: time.Now()}
}

// eraseLine moves to the beginning of the line and erases it.
const eraseLine = "\r\x1b[K"

func (p *importProgress) update(i waymark.Import, problems []waymark.ImportProblem) {
	for _, problem := range problems {
		text := printable(problem.String())
		if p.bar {
			text = eraseLine + text
		}
		fmt.Fprintln(p.to, text)
	}
	interval := 5 * time.Second
	if p.bar {
		interval = 100 * time.Millisecond
	}
	erased := p.bar && len(problems) > 0
	if i.State != waymark.ImportRunning || !erased && time.Since(p.shown) < interval {
		return
	}
	p.shown = time.Now()
	if p.bar {
		fmt.Fprintf(p.to, "%s%s%s", eraseLine, progressBar(i), describeProgress(i, time.Since(p.started)))
		return
	}
	fmt.Fprintln(p.to, describeProgress(i, time.Since(p.started)))
}

// end erases the bar.
func (p *importProgress) end() {
	if p.bar {
		fmt.Fprintf(p.to, "%s", eraseLine)
	}
}

// progressBar returns a bar, "" if the size of the file is not known.
func progressBar(i waymark.Import) string {
	if i.Size == 0 {
		return ""
	}
	const width = 30
	full := int(min(i.Position, i.Size) * width / i.Size)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "] "
}

// describeProgress returns the number of rows, the rate, and the time left if the size of the
// file is known, such as 1500 rows, 42%, 3000/s, 7s left.
func describeProgress(i waymark.Import, elapsed time.Duration) string {
	text := fmt.Sprintf("%d rows", i.Counts.Read)
	if i.Size > 0 {
		text += fmt.Sprintf(", %d%%", min(i.Position, i.Size)*100/i.Size)
	}
	if elapsed <= 0 {
		return text
	}
	text += fmt.Sprintf(", %.0f/s", float64(i.Counts.Read)/elapsed.Seconds())
	if i.Size > 0 && i.Position > 0 {
		left := time.Duration(float64(elapsed) * float64(max(i.Size-i.Position, 0)) / float64(i.Position))
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
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
