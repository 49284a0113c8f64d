package bookmarks

import (
	"fmt"
	"slices"
	"strings"
)

// The names of columns and of JSON keys in the files of programs, as normalName returns them. If a
// bookmark has several, the first one with a value counts.
var (
	urlNames         = strings.Fields("htmlurl expandedurl url uri href link googlemapsurl titleurl address webaddress internetaddress internetadresse givenurl resolvedurl originalurl sourceurl weburl website permalink adresse lien urlstring xmlurl")
	titleNames       = strings.Fields("customtitle title name resolvedtitle giventitle headline titel titre")
	descriptionNames = strings.Fields("description desc customdescription excerpt selection summary abstract beschreibung extrait résumé previewtext abstractnote")
	noteNames        = strings.Fields("note notes comment comments annotation annotations highlight highlights notiz notizen kommentar remarque remarques commentaire commentaires")
	tagNames         = strings.Fields("tags tag labels label tagnames taglist tagarray keywords category categories manualtags automatictags usertags schlagwörter schlagworte stichwörter étiquettes étiquette motsclés")
	listNames        = strings.Fields("lists list listnames collections")
	pathNames        = strings.Fields("folder collection folders folderpath foldername collectionname group groupname parentfolder ordner dossier")
	parentNames      = strings.Fields("parentid collectionid folderid listid groupid")
	createdNames     = strings.Fields("importdate starreddate createdat created creationtime creationdate createdon createdtime createdate savedat saveddate saved savedon time dateadded timeadded timestamp date dateadd addedat added addeddate addedon adddate datesaved datecreated bookmarkedat datum erstelltam hinzugefügtam dateajout datedajout datedecréation timeusec timestampusec actiontimestamp createtime playlistvideocreationtimestamp starredat")
	updatedNames     = strings.Fields("updatedat updated modifiedat modified datemodified lastmodified lastupdate lastupdated lastupdatetime updatetime lastedited lasteditedtime lastinteractiondate lastaccessed")
	imageNames       = strings.Fields("thumbnail thumb thumbnailurl cover coverimage image imageurl previewpicture previewimage previewimageurl preview ogimage leadimageurl datacover")
	privateNames     = strings.Fields("isprivate private")
	publicNames      = strings.Fields("shared public ispublic")
	deletedNames     = strings.Fields("isdeleted deleted deletedat trashed istrashed")
	unreadNames      = strings.Fields("toread unread readlater isunread")
	readNames        = strings.Fields("read isread readat hasbeenread")
	archivedNames    = strings.Fields("archived isarchived")
	favoriteNames    = strings.Fields("favorite favourite starred isstarred isfav ismarked favorited favourited isfavorite isfavourite important isimportant dataimportant favori")
	stateNames       = strings.Fields("state status location")
	textNames        = strings.Fields("text fulltext content quote value")
	foreignNames     = strings.Fields("pushedat stargazerscount starcount starscount forkscount reblogscount subreddit") // of repositories and posts of other people
	otherNames       = strings.Fields("visibility extended annos inqueue id type root webbookmarktype")
)

// knownNames are all names that are used.
var knownNames = nameSet(strings.Join(slices.Concat(urlNames, titleNames, descriptionNames, noteNames, tagNames, listNames, pathNames,
	parentNames, createdNames, updatedNames, imageNames, privateNames, publicNames, deletedNames, archivedNames, favoriteNames, unreadNames, readNames,
	stateNames, textNames, foreignNames, otherNames), " "))

// technicalNames are the names of what only the program that wrote the file needs. They are not
// reported as unused.
var technicalNames = nameSet("guid uuid index position order typecode hash meta favicon faviconurl favicons iconuri icon children userid ownerid datelastused metainfo charset checkdisabled childrenids sync readinglistnonsync webbookmarkuuid webbookmarkidentifier webbookmarkfileversion")

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// namePrefixes say in names what the row or the object is.
var namePrefixes = []string{"bookmark", "saved", "document", "page", "website", "link", "item", "tab", "article", "entry", "video", "channel", "tweet", "post", "story"}

// knownName returns the name in knownNames that a column or key has, "" for none.
func knownName(name string) string {
	name = normalName(name)
	if knownNames[name] {
		return name
	}
	for _, prefix := range namePrefixes {
		if rest, found := strings.CutPrefix(name, prefix); found && knownNames[rest] {
			return rest
		}
	}
	return ""
}

// The names of states.
var (
	archivedStates = strings.Fields("archive archived")
	deletedStates  = strings.Fields("deleted trash")
)

// unusedNames are the names of columns or keys that were not used.
type unusedNames []string

// maxUnusedNames is how many of them are reported.
const maxUnusedNames = 50

func (u *unusedNames) add(names ...string) {
	for _, name := range names {
		if len(*u) < maxUnusedNames && name != "" && !slices.Contains(*u, name) {
			*u = append(*u, fmt.Sprintf("%.60s", name))
		}
	}
}

// report yields the names.
func (u unusedNames) report(line int, yield yieldFunc) error {
	if len(u) == 0 {
		return nil
	}
	return yield(Bookmark{}, unusedColumns(line, u))
}
