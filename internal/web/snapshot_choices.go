package web

import "waymark/internal/waymark"

// snapshotChoice is a choice of which snapshots are made.
type snapshotChoice struct {
	Value  waymark.SnapshotChoice
	Label  string
	Chosen bool
}

// snapshotChoices returns first and the choices among the snapshots that the server makes, nil if it makes
// none.
func (v *visit) snapshotChoices(chosen waymark.SnapshotChoice, first ...snapshotChoice) []snapshotChoice {
	if !v.Crawler.PageParts.Has(waymark.TextSnapshotPart) {
		return nil
	}
	choices := first
	if v.Crawler.PageParts.Has(waymark.FullSnapshotPart) {
		choices = append(choices, snapshotChoice{Value: waymark.AllSnapshots, Label: v.t("snapshot.keep-full")}, snapshotChoice{Value: waymark.TextSnapshots, Label: v.t("snapshot.keep-text")})
	} else {
		choices = append(choices, snapshotChoice{Value: waymark.AllSnapshots, Label: v.t("snapshot.keep-text")})
		if chosen == waymark.TextSnapshots {
			chosen = waymark.AllSnapshots // the same if the text is all that the server snapshots
		}
	}
	choices = append(choices, snapshotChoice{Value: waymark.NoSnapshots, Label: v.t("snapshot.keep-none")})
	for i := range choices {
		choices[i].Chosen = choices[i].Value == chosen
	}
	return choices
}
