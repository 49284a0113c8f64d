package bookmarks_test

import "testing"

func TestTablesAreNotReadAsLists(t *testing.T) {
	checkFiles(t, []fileCase{
		{"no header", "https://a.example/,First title,go\nhttps://b.example/,\"Second, title\",\"web, short\"\n",
			"a.example/ \"First title\"\nb.example/ \"Second, title\"\nline 2: not used: column 3"},
		{"no header, the title first", "First;https://a.example/;2020-09-13\nSecond;https://b.example/;2020-09-14\n",
			"a.example/ \"First\" 2020-09-13\nb.example/ \"Second\" 2020-09-14"},
		{"no header, tabs", "https://a.example/x,y\tA\tA long text about many things\nhttps://b.example/\tB\tAnother one of the kind\n",
			"a.example/x,y \"A\"\nb.example/ \"B\"\nline 2: not used: column 3"},
		{"other names", "Bookmark Title,Website URL,Notes\nA,https://a.example/,n\n", "a.example/ \"A\" note \"n\""},
		{"names that are not known", "Titel;Adresse;Datum\nA;https://a.example/;2020-09-13\nB;https://b.example/;2020-09-14\n", "a.example/ \"A\" 2020-09-13\nb.example/ \"B\" 2020-09-14"},
		{"the separator of Excel", "sep=;\r\nName;Seite;Wann\r\nA;https://a.example/;2020-09-13\r\nB;https://b.example/;2020-09-14\r\n", "a.example/ \"A\" 2020-09-13\nb.example/ \"B\" 2020-09-14"},
		{"German names", "Titel;Adresse;Schlagwörter;Ordner;Notiz\nA;https://a.example/;\"x, y\";F;N\n", "a.example/ \"A\" in F tags [\"x\" \"y\"] note \"N\""},
		{"tags with #", "url,title,tags\nhttps://a.example/,A,#x #y\n", "a.example/ \"A\" tags [\"x\" \"y\"]"},
		{"a table and a list of Markdown", "| Name | URL | Note |\n|---|---|---|\n| [A](https://a.example/) | https://a.example/ | x \\| y |\n\n- [b](https://b.example/) text\n- last\n",
			"line 1: no URL in \"| Name | URL | Note |\"\na.example/ \"A\"\na.example/ \"x \\\\| y\"\nb.example/ \"b\" description \"text\"\nline 6: no URL in \"- last\""},
		{"bars without a header", "https://a.example/|A\nhttps://b.example/|B\n", "a.example/ \"A\"\nb.example/ \"B\""},
		{"one row", "https://a.example/,One\n", "a.example/ \"One\""},
		{"URLs with commas", "https://a.example/a-1,1518,00.html\nhttps://a.example/a-2,1518,11.html\nhttps://maps.example/@48.1,11.5,15z\n",
			"a.example/a-1,1518,00.html \"\"\na.example/a-2,1518,11.html \"\"\nmaps.example/@48.1,11.5,15z \"\""},
		{"lines before the header", "My reading list\n\nExported 2024, by Ann\nTitle;Page URL;Tags\nA;https://a.example/;x|y\n", "a.example/ \"A\" tags [\"x\" \"y\"]"},
		{"bars", "Name|URL|Date Added\nA|https://a.example/|2020-09-13\n", "a.example/ \"A\" 2020-09-13"},
		{"a table of Markdown", "# Links\n\n| Title | Link | Labels |\n|:------|------|---|\n| A | <https://a.example/> | x, y |\n| B | [here](https://b.example/) | |\n",
			"line 3: no URL in \"| Title | Link | Labels |\"\na.example/ \"A\" description \"x, y\"\nb.example/ \"here\""},
		{"a URL in another column", "url,title,archive\n,A,https://a.example/\nhttps://b.example/,B,\n", "line 2: the row has no URL in its column, but in another: \"https://a.example/\"\nb.example/ \"B\""},
		{"two URLs in a row", "url,title,link,mirror\nhttps://a.example/,A,https://b.example/,https://c.example/\n", "a.example/ \"A\"\nline 2: not used: mirror, link"},
		{"an open quote", "url,title\nhttps://a.example/,A\nhttps://b.example/,\"B\nhttps://c.example/,C\nhttps://d.example/,\"D\nd\"\n",
			"a.example/ \"A\"\nb.example/ \"B\"\nline 3: a closing quote seems to be missing: only the 2 lines after it that have all cells are read\nc.example/ \"C\"\nd.example/ \"D\""},
		{"a title on two lines", "title,url\n\"A\nsecond\",https://a.example/\n\"B\"\"\nx\",https://b.example/\n", "a.example/ \"A second\"\nb.example/ \"B\\\" x\""},
		{"quotes in cells", "url,title\nhttps://a.example/,\"Say \"\"hi\"\"\"\nhttps://b.example/,5\" disk\nhttps://c.example/,\"a\" b\"\n",
			"a.example/ \"Say \\\"hi\\\"\"\nb.example/ \"5\\\" disk\"\nc.example/ \"a\\\" b\""},
	})
}

// The files have the shapes of exports.
func TestNamesOfColumnsAndKeysAreKnown(t *testing.T) {
	checkFiles(t, []fileCase{
		{"Readwise", "Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\nA,https://a.example/,1,\"['go', \"\"it's\"\"]\",2022-11-06 04:33:50+00:00,0,archive,True\nB,https://b.example/,2,[],2022-11-07 04:33:50+00:00,0,new,False\n",
			"a.example/ \"A\" tags [\"go\" \"it's\"] archived 2022-11-06\nb.example/ \"B\" 2022-11-07\nline 3: not used: Reading progress, Seen"},
		{"Matter", "Title,Author,Publisher,URL,Tags,Word Count,In Queue,Favorited,Read,Highlight_Count,Last Interaction Date,File Id\nA,Ann,P,https://a.example/,x;y z,100,False,True,False,0,2022-11-06 04:33:50,\n",
			"a.example/ \"A\" tags [\"x\" \"y z\"] archived favorite 2022-11-06\nline 2: not used: Author, Publisher, Word Count, Highlight_Count"},
		{"Diigo", "title,url,tags,description,comments,annotations,created_at\nA,https://a.example/,no_tag,Text,A comment,,2024/11/14 05:48:28 +0000\n",
			"a.example/ \"A\" description \"Text\" 2024-11-14 note \"A comment\""},
		{"Google Takeout", "Title,Note,URL,Tags,Comment\nA,My note,https://a.example/,,\n", "a.example/ \"A\" note \"My note\""},
		{"mymind", "id,type,title,url,content,note,tags,created\nx,WebPage,A,https://a.example/,,N,\"x,y\",2023-04-27T12:30:15Z\n", "a.example/ \"A\" tags [\"x\" \"y\"] 2023-04-27 note \"N\""},
		{"GoodLinks", `[{"url":"https://a.example/","title":"A","summary":"About","tags":["x"],"starred":true,"addedAt":1600000000.5,"readAt":1600000001}]`,
			"a.example/ \"A\" description \"About\" tags [\"x\"] favorite 2020-09-13"},
		{"Anybox", `[{"url":"https://a.example/","title":"A","dateAdded":"2020-09-13T12:26:40Z","comment":"C","tags":[["x","y"],["z"]],"isStarred":true}]`,
			"a.example/ \"A\" tags [\"x\" \"y\" \"z\"] favorite 2020-09-13 note \"C\""},
		{"Chrome's reading list", `{"exported_at":"2026-01-03","items":[{"title":"A","url":"https://a.example/","hasBeenRead":false,"creationTime":1600000000000}]}`, "a.example/ \"A\" unread 2020-09-13"},
		{"a column that says what was read", "URL,Read\nhttps://a.example/,False\nhttps://b.example/,True\n", "a.example/ \"\" unread\nb.example/ \"\""},
		{"French names", "Titre;Lien;Étiquettes;Dossier;Date d'ajout;Remarque\nA;https://a.example/;\"x, y\";F;13/09/2020;N\n", "a.example/ \"A\" in F tags [\"x\" \"y\"] 2020-09-13 note \"N\""},
		{"tags with spaces between", "url,tags\nhttps://a.example/,\"go \"\"two words\"\" web\"\nhttps://b.example/,5\"\" disk\n", "a.example/ \"\" tags [\"go\" \"two words\" \"web\"]\nb.example/ \"\" tags [\"5\\\"\\\" disk\"]"},
		{"Arc", `{"items":["1",{"id":"1","data":{"tab":{"savedURL":"https://a.example/","savedTitle":"A"}}}]}`, "a.example/ \"A\""},
		{"the XML of Pinboard", `<?xml version="1.0"?><posts user="ann"><post href="https://a.example/?x=1&amp;y" time="2020-09-13T12:26:40Z" description="A &quot;b&quot;" extended="About" tag="x y" hash="1" toread="yes" shared="no"/>
<post description="No URL" extended="" tag=""></post></posts>`,
			"a.example/?x=1&y \"A \\\"b\\\"\" description \"About\" tags [\"x\" \"y\"] unread 2020-09-13\nline 2: the bookmark \"No URL\" has no URL"},
		{"tags that stand for flags", "url,tags\nhttps://a.example/,\"To read, Favourite, linkding:archived, x\"\nhttps://b.example/,starred\n",
			"a.example/ \"\" tags [\"x\"] unread archived favorite\nb.example/ \"\" favorite"},
		{"Raindrop", "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n" +
			"1,A,My note,About,https://a.example/,UI/UX / Icons,\"x, y\",2024-01-02T03:04:05.000Z,,\"Highlight:one\ntwo\nNote:why\n\nHighlight:three\",true\n" +
			"2,B,,,https://b.example/,Unsorted,,,,,false\n",
			"a.example/ \"A\" description \"About\" in UI/UX / Icons tags [\"x\" \"y\"] favorite 2024-01-02 note \"My note\" passage \"one\\ntwo\" note \"why\" passage \"three\"\n" +
				"b.example/ \"B\""},
		{"a folder of others that is called Unsorted", "url,folder\nhttps://a.example/,Unsorted\n", "a.example/ \"\" in Unsorted"},
		{"the HTML of Raindrop", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Raindrop.io Bookmarks</TITLE>\n<H1>Raindrop.io Bookmarks</H1>\n<DL><p>\n<DT><H3>Unsorted</H3>\n<DL><p>\n" +
			"<DT><A HREF=\"https://a.example/\">A</A>\n</DL><p>\n<DT><H3>UI/UX</H3>\n<DL><p>\n<DT><H3>Unsorted</H3>\n<DL><p>\n<DT><A HREF=\"https://b.example/\">B</A>\n</DL><p>\n</DL><p>\n</DL><p>\n",
			"a.example/ \"A\"\nb.example/ \"B\" in UI/UX / Unsorted"},
		{"tags beside flags", "url,tags,starred\nhttps://a.example/,\"toread,favorite\",\n", "a.example/ \"\" tags [\"favorite\"] unread"},
		{"other spellings", `[{"Page-URL":"https://a.example/","Custom Title":"A","TAG_LIST":"x|y","is-archived":1,"Date Saved":"2020-09-13"}]`, "a.example/ \"A\" tags [\"x\" \"y\"] archived 2020-09-13"},
	})
}

func TestBookmarksInContainersOfJSONAreFound(t *testing.T) {
	checkFiles(t, []fileCase{
		{"an array of folders", `[{"id":"0","title":"","children":[{"id":"1","title":"Bar","children":[{"title":"A","url":"https://a.example/","dateAdded":1600000000123},{"title":"Empty","children":[]}]}]}]`, "a.example/ \"A\" in Bar 2020-09-13"},
		{"Toby", `{"version":3,"lists":[{"title":"Work","cards":[{"title":"a","url":"https://a.example/","customTitle":"A","customDescription":"D"}],"labels":[]}]}`, "a.example/ \"A\" description \"D\" in Work"},
		{"Session Buddy", `{"format":"nxs.json.v2","collections":[{"title":"Trip","folders":[{"title":"Hotels","links":[{"url":"https://a.example/","title":"A","favIconUrl":"x"}]}]}]}`, "a.example/ \"A\" in Trip / Hotels"},
		{"Tab Session Manager", `[{"windows":{"1":{"11":{"id":11,"index":0,"url":"https://a.example/","title":"A","lastAccessed":1600000000000}}},"name":"Evening","tag":[],"date":1600000001000}]`, "a.example/ \"A\" in Evening 2020-09-13"},
		{"an object of arrays", `{"Reading":[{"title":"A","url":"https://a.example/"}],"Sub folder":{"Deeper":[{"title":"B","url":"https://b.example/"}]},"exportedBy":"x"}`, "a.example/ \"A\"\nb.example/ \"B\""},
		{"folders by id", `{"bookmarks":[{"title":"A","url":"https://a.example/","folderId":2}],"folders":[{"id":1,"name":"Top"},{"id":2,"name":"Sub","parentId":1}]}`, "a.example/ \"A\" in Top / Sub\nthe folder Top\nthe folder Top / Sub"},
		{"titles as keys in folders", `{"Dev":{"Go":"https://a.example/","Sub":{"Rust":"https://b.example/"}},"News":[["HN","https://c.example/"]]}`,
			"b.example/ \"Rust\"\na.example/ \"Go\"\nc.example/ \"\""},
		{"URLs as keys of objects and texts", `{"https://a.example/":{"title":"A"},"https://b.example/":"B","https://c.example/":null}`, "a.example/ \"A\"\nb.example/ \"B\"\nc.example/ \"\""},
		{"the API of Readwise", `{"next":"https://a.example/?page=2","results":[{"url":"https://read.readwise.io/read/x","source_url":"https://a.example/","highlights":[{"content":"marked","note":"why"},{"text":"alone"}]}]}`,
			"a.example/ \"\" passage \"marked\" note \"why\" passage \"alone\"\nline 1: not used: url"},
		{"Readeck, Karakeep and Instapaper", `[{"url":"https://a.example/","annotations":[{"text":"a"},{"text":"b","note":"c"}],"notes":[{"text":"d"}]}]`,
			"a.example/ \"\" note \"d\" passage \"a\" passage \"b\" note \"c\""},
		{"Omnivore", `[{"url":"https://a.example/","highlights":[{"quote":"a","annotation":"b","createdAt":"2024-01-02T00:00:00Z"}]}]`, "a.example/ \"\" passage \"a\" note \"b\""},
		{"highlights of Readwise", "Highlight,Title,Author,URL,Note,Location,Date\nMarked,A,B,https://a.example/,why,3,2024-01-02 03:04:05\nAlone,A,B,https://a.example/,,4,\n",
			"a.example/ \"A\" 2024-01-02 passage \"Marked\" note \"why\"\na.example/ \"A\" passage \"Alone\"\nline 3: not used: Author"},
		{"several folders", `[{"url":"https://a.example/","folder":["Work","Home"]}]`, "a.example/ \"\" in Work in Home"},
		{"notes of other types", `[{"url":"https://a.example/","note":5},{"url":"https://b.example/","note":{"text":"b"}}]`, "a.example/ \"\" note \"5\"\nb.example/ \"\" note \"b\""},
		{"titles as keys", `{"Links":{"A":"https://a.example/","B":"https://b.example/"}}`, "a.example/ \"A\"\nb.example/ \"B\""},
		{"titles by URL", `{"https://a.example/":"A"}`, "a.example/ \"A\""},
		{"arrays in arrays", `[[{"url":"https://a.example/"}],[{"url":"https://b.example/"}]]`, "a.example/ \"\"\nb.example/ \"\""},
		{"URLs as keys", `{"bookmarks":{"https://a.example/":{"title":"A"}}}`, "a.example/ \"A\""},
		{"arrays of URLs", `{"windowID":{"windowMode":"public","urls":["https://a.example/","https://b.example/"]}}`, "a.example/ \"\"\nb.example/ \"\""},
		{"only URLs", `["https://a.example/"]`, "a.example/ \"\""},
		{"links of a page", `[{"title":"A","links":[{"url":"https://x.example/"}],"url":"https://a.example/"},{"title":"B"}]`, "a.example/ \"A\"\nline 1: the bookmark \"B\" has no URL\nline 1: not used: links"},
		{"the API of Pocket", `{"list":{"1":{"item_id":"1","given_url":"https://a.example/","resolved_title":"A","tags":{"go":{"item_id":"1","tag":"go"},"two words":{"item_id":"1","tag":"two words"}}}}}`,
			"a.example/ \"A\" tags [\"go\" \"two words\"]"},
		{"URLs beside URLs", `[["A","https://a.example/"],["https://b.example/","B"],"none"]`, "a.example/ \"\"\nb.example/ \"\"\nline 1: not used: none"},
		{"a file that is not valid", "[{\"url\":\"https://a.example/\"},\n{\"url\":\"https://b.example/\",},\n{\"url\":\"http:\\/\\/c.example/\"}]",
			"a.example/ \"\"\nb.example/ \"\"\nline 2: invalid character ',' at start of value: the 1 URLs after it are not read"},
		{"keys that are not known in an object", `{"bookmarks":{"one":{"u":"https://a.example/","t":"A"}}}`, "line 1: the URL under \"u\" is not read: it is no name that Waymark knows\nline 1: not used: u, t\nthe JSON has no bookmarks in a form that Waymark knows"},
		{"keys that are not known", `{"bookmarks":[{"u":"https://a.example/","t":"A"}]}`, "line 1: the URL under \"u\" is not read: it is no name that Waymark knows\nline 1: not used: u, t"},
		{"tags as keys", `[{"url":"https://a.example/","tags":{"go":true,"link":{},"no":false}}]`, "a.example/ \"\" tags [\"go\" \"link\"]"},
		{"the menu of old Firefox", `{"title":"","root":"placesRoot","children":[{"title":"Bookmarks Menu","root":"bookmarksMenuFolder","children":[{"title":"A","uri":"https://a.example/"}]}]}`, "a.example/ \"A\" in Bookmarks Menu"},
		{"old folders of Firefox", `{"title":"","root":"placesRoot","children":[{"title":"Unsorted Bookmarks","root":"unfiledBookmarksFolder","children":[{"title":"A","uri":"https://a.example/"}]}]}`, "a.example/ \"A\" in Unsorted Bookmarks"},
	})
}
