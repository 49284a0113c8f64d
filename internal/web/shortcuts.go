package web

// showShortcuts lists the keys of the pages. The script shows them in a dialog.
func (v *visit) showShortcuts() error {
	if v.partial("keys") {
		return v.renderPart("dialog", nil)
	}
	return v.render("shortcuts", nil)
}
