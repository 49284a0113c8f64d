package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// linkForm is the form for a new or an existing link, as it was filled in.
type linkForm struct {
	Heading         string         // the title of the document
	ID              waymark.LinkID // zero for a new link
	URL             string
	Title           string
	Description     string
	Lists           string // names with commas between them
	Tags            string
	Outside         string // the name of another person's list or tag on whose page the form was opened
	Note            string // a new one, in the small window
	Visibility      string
	Preset          string // the visibility that was not chosen in a new form: a shared list makes the link as visible as it is
	Shared          string // the name of a shared list in Lists, "" for none
	Flags           waymark.LinkFlags
	SnapshotChoices []page.SnapshotChoice // nil for a new link
	Version         string                // when the link was changed the last time, "" for a new link
	Back            string                // the path to return to, "" for the default
	Links           string                // the path of the page with links, to return to after a new one
	Window          bool                  // in a window of its own, without the shell
	Focus           string                // the field with the focus, "" for none
	Filled          bool                  // with what was sent before the user had to sign in again
	Offered         []string              // tags, see offeredTags

	Previews previews // of the page of a new link

	Problems page.Problems
	Existing *urlCard  // the user's link with the URL, if there is one
	Near     *nearLink // another one of the page, if there is none with the URL of a new link

	// KnownLists and KnownTags are the most used names, for browsers without the script.
	KnownLists, KnownTags []string
}

func (f linkForm) PageTitle() string { return f.Heading }

// WithoutShell reports whether the page has no sidebar.
func (f linkForm) WithoutShell() bool { return f.Window }

// Action is the path to which the form is sent.
func (f linkForm) Action() string {
	if f.ID == 0 {
		return "/links"
	}
	return linkPath(f.ID)
}

// Return is the path to return to without a change.
func (f linkForm) Return() string {
	switch {
	case f.Back != "":
		return f.Back
	case f.ID != 0:
		return linkPath(f.ID)
	}
	return f.Links
}

// firstOf returns the first parameter that is not empty.
func firstOf(query url.Values, names ...string) string {
	for _, name := range names {
		if value := strings.TrimSpace(query.Get(name)); value != "" {
			return value
		}
	}
	return ""
}

func findExisting(r *page.Request, f *linkForm) error {
	if f.URL == "" {
		return nil
	}
	card, err := knownURL(r, f.URL)
	switch {
	case card.ID == 0 && f.ID == 0:
		f.Near = card.Near
	case card.ID != 0 && card.ID != f.ID:
		card.Offered = card.Trashed && f.ID == 0
		f.Existing = &card
	}
	return err
}

// formOf returns the form with a link as it is.
func formOf(r *page.Request, link waymark.Link) (linkForm, error) {
	lists, err := listNames(r, link.Lists)
	return linkForm{
		ID: link.ID, URL: link.URL, Title: link.Title, Description: link.Description, Lists: formatViews(lists), Tags: formatViews(tagNames(link.Tags)),
		Visibility: link.Visibility.String(), Flags: link.LinkFlags, SnapshotChoices: linkSnapshotChoices(r, link.Snapshots),
		Version: link.UpdatedAt.String(), Back: r.Back(""), Links: r.LinksPath(),
	}, err
}

// inRow reports whether a script asked for the row of a link.
func inRow(r *page.Request, id waymark.LinkID) bool { return r.Partial(fmt.Sprintf("link-%d", id)) }

const maxKnownNames = 200

// knownNames returns the names of the user's most used lists and tags.
func knownNames(r *page.Request) (lists, tags []string, err error) {
	filter, most := waymark.LabelFilter{Owner: r.User.ID}, waymark.Pagination{Limit: maxKnownNames}
	foundLists, err := r.Store.SearchLists(r.Context(), r.User.ID, filter, mostLinks, most)
	if err != nil {
		return nil, nil, err
	}
	names, err := listNames(r, foundLists.Entities)
	if err != nil {
		return nil, nil, err
	}
	lists = waymark.Map(names, func(list nameView) string { return list.Name })
	foundTags, err := r.Store.SearchTags(r.Context(), r.User.ID, filter, mostLinks, most)
	for _, tag := range foundTags.Entities {
		tags = append(tags, tag.Name)
	}
	return lists, tags, err
}

// readLinkForm returns the form that was sent. A field that was not sent keeps the value of
// the link. If err is a problem of the form, the form is complete.
func readLinkForm(r *page.Request, link waymark.Link) (f linkForm, in waymark.LinkInput, wrong error) {
	sent := r.HTTP.PostForm
	if f, wrong = formOf(r, link); wrong != nil {
		return f, in, wrong
	}
	f.Note, f.Window = textArea(r.Field("note")), r.Field("window") != ""
	if sent.Has("url") {
		f.URL = typedURL(r.Field("url"), link)
	}
	in.URL = f.URL
	if sent.Has("title") {
		f.Title = strings.TrimSpace(oneLine.Replace(r.Field("title")))
		in.Title = &f.Title
	}
	if sent.Has("description") {
		f.Description = textArea(r.Field("description"))
		in.Description = &f.Description
	}
	if sent.Has("lists") {
		current, err := listNames(r, link.Lists)
		if err != nil {
			return f, in, err
		}
		f.Lists = strings.Join(append(sent["list"], r.Field("lists")), ", ") // the small window has check boxes, too
		in.Lists, wrong = listRefs(r, parseNames(f.Lists), current)
	}
	if sent.Has("tags") {
		f.Tags = r.Field("tags")
		in.Tags = refs(parseNames(f.Tags), tagNames(link.Tags))
	}
	f.Preset = r.Field("preset")
	if sent.Has("visibility") {
		if f.Visibility = r.Field("visibility"); f.ID != 0 || f.Visibility != f.Preset {
			in.VisibilityInput = visibilityInput(f.Visibility)
		}
	} else if f.ID == 0 {
		f.Visibility = r.User.DefaultVisibility.Links.String()
	}
	if f.ID == 0 {
		in.Unread = &r.Settings.SaveUnread
	}
	for name := range strings.FieldsSeq(r.Field("flags")) { // which boxes the form has: those that are not ticked are not sent
		if flag, ok := flagNames[name]; ok {
			*in.Of(flag) = new(sent.Has(name))
		}
	}
	in.ApplyTo(&f.Flags)
	if sent.Has("snapshots") {
		snapshots := waymark.SnapshotChoice(r.Field("snapshots"))
		in.Snapshots, f.SnapshotChoices = &snapshots, linkSnapshotChoices(r, snapshots)
	}
	if f.ID != 0 {
		in.Version = r.Field("version")
	}
	return f, in, wrong
}

// oneLine replaces the line breaks of a field for a title, which is high enough for long ones.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ")

func linkSnapshotChoices(r *page.Request, chosen waymark.SnapshotChoice) []page.SnapshotChoice {
	return r.SnapshotChoices(chosen, page.SnapshotChoice{Value: waymark.DefaultSnapshots, Label: r.T("snapshot.as-settings")})
}

// visibilityInput returns the input for the name of a visibility. An unknown name is an
// invalid value.
func visibilityInput(name string) waymark.VisibilityInput {
	visibility, _ := waymark.ParseVisibility(name)
	return waymark.VisibilityInput{Visibility: &visibility}
}

// textArea returns what was entered in a field of several lines. Browsers send CRLF.
func textArea(value string) string {
	return strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n"))
}

func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// textBeside returns what a shared text has besides the URL and the title, such as a quotation that was
// selected on the page.
func textBeside(f linkForm, text string) string {
	for _, word := range strings.Fields(text) {
		rawURL := urlOf(word)
		if withoutFragmentDirective(word) == f.URL {
			rawURL = word
		}
		if f.URL != "" && withScheme(withoutFragmentDirective(rawURL)) == f.URL {
			before, after, _ := strings.Cut(word, rawURL)
			rest := strings.TrimSpace(strings.TrimFunc(before, isMark) + " " + strings.TrimFunc(after, isMark))
			before, after, _ = strings.Cut(text, word)
			text = strings.TrimRight(strings.TrimRight(before, " ")+" "+rest, " ") + " " + strings.TrimLeft(after, " ")
			break
		}
	}
	if text = strings.TrimSpace(text); text == f.Title {
		return ""
	}
	return text
}

// linkWindow is the small window in which a bookmarklet or an app saves a link.
type linkWindow struct {
	linkForm
	Host   string
	Lately []windowList
	Lists  []windowList // the others
	Focus  string       // the first empty field
}

type windowList struct {
	nameView
	Chosen bool
}

const maxLately = 3 // lists that are shown first

// renderLinkWindow sends the form in a window of its own.
func renderLinkWindow(r *page.Request, status int, f linkForm) error {
	w := linkWindow{linkForm: f, Host: page.ShortHost(waymark.Host(f.URL)), Focus: "tags"}
	switch {
	case f.URL == "":
		w.Focus = "url"
	case f.Title == "":
		w.Focus = "title"
	}
	used, err := latelyUsed(r)
	if err != nil {
		return err
	}
	known, _, err := knownNames(r)
	if err != nil {
		return err
	}
	lately, err := listNames(r, used)
	if err != nil {
		return err
	}
	w.chooseLists(lately, known)
	return r.RenderStatus(status, "link-window", w)
}

// chooseLists sets the lists: those of the form, those used lately, and the other known ones.
func (w *linkWindow) chooseLists(lately []nameView, known []string) {
	seen := map[string]bool{}
	add := func(to *[]windowList, name string, chosen bool) {
		if folded := waymark.Fold(name); !seen[folded] {
			seen[folded] = true
			*to = append(*to, windowList{nameView{Name: name, Hue: page.Hue(name)}, chosen})
		}
	}
	for _, name := range parseNames(w.linkForm.Lists) {
		add(&w.Lately, name, true)
	}
	for _, list := range lately {
		if len(w.Lately) < maxLately {
			add(&w.Lately, list.Name, false)
		}
	}
	for _, name := range known {
		add(&w.Lists, name, false)
	}
}

// fillInExisting fills in the form with the user's link that has the URL already, to change it.
func fillInExisting(r *page.Request, f *linkForm) error {
	link, err := r.Store.Link(r.Context(), r.User.ID, f.Existing.ID)
	if err != nil {
		return err
	}
	existing := f.Existing
	*f, err = formOf(r, link)
	f.Window, f.Existing = true, existing
	return err
}

// addNote adds the note of the small window to a link, if there is one.
func addNote(ctx context.Context, s *service.Service, user waymark.User, id waymark.LinkID, text string) error {
	if text == "" {
		return nil
	}
	_, err := s.AddNote(ctx, user, id, waymark.NoteInput{Text: text})
	return err
}

// pagePreview is what the page of a URL has for the form for a new link.
type pagePreview struct {
	waymark.PageTexts
	Failed  bool     // the page could not be fetched
	Offered []string // tags, see offeredTags
}

// previewPage sends the texts of the page of a URL in the form for a new link. It is a POST, because the
// server sends a request to another one.
func previewPage(r *page.Request) error {
	if !previewsOf(r).Texts {
		return waymark.ErrNotFound // the form does not ask for it
	}
	rawURL := typedURL(r.Field("url"), waymark.Link{})
	texts, failed := r.Crawler.Preview(r.Context(), r.User.ID, rawURL)
	offered, err := offeredTags(r, rawURL, texts.Title, nil)
	if err != nil {
		return err
	}
	return r.RenderPart("page-preview", pagePreview{texts, failed != nil, offered})
}

// previewPicture sends a picture of an image that previewPage has found.
func previewPicture(r *page.Request) error {
	if !previewsOf(r).Picture {
		return waymark.ErrNotFound
	}
	made, err := r.Crawler.PreviewPicture(r.Context(), r.User.ID, r.Field("url"))
	if err != nil || made == nil {
		return waymark.ErrNotFound // the form is as good without it
	}
	r.Send(http.StatusOK, made.Type, made.Data)
	return nil
}

type previews struct{ Texts, Picture bool }

func previewsOf(r *page.Request) previews {
	parts := r.Crawler.Parts()
	return previews{
		Texts:   parts.Has(waymark.TextParts) && !r.Settings.NoMetadata,
		Picture: parts.Has(waymark.ThumbnailPart) && !r.Settings.NoPictures,
	}
}

const latestLinks = 50

// latelyFirst returns as many lists: those of the links that the user has changed last, and then others.
func latelyFirst(r *page.Request, others []waymark.List) ([]waymark.List, error) {
	used, err := latelyUsed(r)
	if err != nil {
		return nil, err
	}
	used = slices.DeleteFunc(used, func(list waymark.List) bool { return list.Owner != r.User.ID })
	counts, err := r.Store.CountListLinks(r.Context(), r.User.ID, used)
	var all []waymark.List
	seen := map[waymark.ListID]bool{}
	for i := range used {
		used[i].LinkCount = counts[int64(used[i].ID)]
	}
	for _, list := range slices.Concat(used, others) {
		if !seen[list.ID] && len(all) < len(others) {
			all = append(all, list)
		}
		seen[list.ID] = true
	}
	return all, err
}

// latelyUsed returns the lists of the links that the user has changed last, in that order. A list can be there several
// times.
func latelyUsed(r *page.Request) (used []waymark.List, err error) {
	own := waymark.LinkFilter{Where: waymark.IsMine}
	latest, err := r.Store.SearchLinks(r.Viewer(), own, linkOrders["edited"], waymark.Pagination{Limit: latestLinks}).Page(r.Context())
	for _, link := range latest.Entities {
		used = append(used, link.Lists...)
	}
	return used, err
}
