package page

import "waymark/internal/waymark"

// SnapshotChoice is a choice of which snapshots are made.
type SnapshotChoice struct {
	Value  waymark.SnapshotChoice
	Label  string
	Chosen bool
}

// SnapshotChoices returns first and the choices among the snapshots that the server makes, nil if it makes
// none.
func (r *Request) SnapshotChoices(chosen waymark.SnapshotChoice, first ...SnapshotChoice) []SnapshotChoice {
	if !r.Crawler.Parts().Has(waymark.TextSnapshotPart) {
		return nil
	}
	choices := first
	if r.Crawler.Parts().Has(waymark.FullSnapshotPart) {
		choices = append(choices, SnapshotChoice{Value: waymark.AllSnapshots, Label: r.T("snapshot.keep-full")}, SnapshotChoice{Value: waymark.TextSnapshots, Label: r.T("snapshot.keep-text")})
	} else {
		choices = append(choices, SnapshotChoice{Value: waymark.AllSnapshots, Label: r.T("snapshot.keep-text")})
		if chosen == waymark.TextSnapshots {
			chosen = waymark.AllSnapshots // the same if the text is all that the server snapshots
		}
	}
	choices = append(choices, SnapshotChoice{Value: waymark.NoSnapshots, Label: r.T("snapshot.keep-none")})
	for i := range choices {
		choices[i].Chosen = choices[i].Value == chosen
	}
	return choices
}
