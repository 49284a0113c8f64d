package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"waymark/internal/waymark"
)

// importProgress shows the progress of an import, with a bar on terminals, and its problems.
type importProgress struct {
	statusLine
	started time.Time
}

func newImportProgress(to io.Writer) *importProgress {
	return &importProgress{statusLine{to: to, terminal: isTerminal(to), shown: time.Now()}, time.Now()}
}

func (p *importProgress) update(i waymark.Import, problems []waymark.ImportProblem) {
	for _, problem := range problems {
		text := printable(problem.String())
		if p.terminal {
			text = eraseLine + text
		}
		fmt.Fprintln(p.to, text)
	}
	erased := p.terminal && len(problems) > 0
	if i.State != waymark.ImportRunning || !erased && !p.isDue() {
		return
	}
	p.showWithBar(describeProgress(i, time.Since(p.started)), i.Position, i.Size)
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
