-- The collection: links, lists, tags and notes, what users keep at the side of the pages, and what
-- triggers derive from the collection: the log of changes.
--
-- visible_to is the scope of an entity, one of three: 0 public (everyone, guests included; visibility
-- 1), -1 internal (every signed-in user; visibility 2), or the id of the owner (the owner alone;
-- visibility 3). It is NULL while the entity is in the trash. A user sees three disjoint scopes and a
-- guest one, so that a page is one index scan per scope.

-- The URLs that users keep. A folded text is NULL if it is equal to the text.
CREATE TABLE links (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id            INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility         INTEGER NOT NULL,
	status             INTEGER NOT NULL, -- the field of LinkAce's API
	check_disabled     BOOLEAN NOT NULL,
	check_result       INTEGER NOT NULL DEFAULT 0, -- that of link_checks, kept by triggers for searches
	minutes            INTEGER NOT NULL DEFAULT 0, -- to read the text snapshot, 0 without one; written with its words
	from_page          INTEGER NOT NULL, -- the texts from the page, not typed: 1 title, 2 description, 4 image
	snapshots          TEXT    NOT NULL, -- which are wanted; an empty text for the choice of the owner
	unread             BOOLEAN NOT NULL,
	archived           BOOLEAN NOT NULL, -- left out where the pages list all links
	favorite           BOOLEAN NOT NULL,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	seen_at            INTEGER NOT NULL, -- when the owner has last looked at it, 0 for never
	deleted_at         INTEGER NOT NULL,
	visible_to         INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	url                TEXT    NOT NULL,
	url_hash           BLOB    NOT NULL, -- a URL can be longer than an index allows
	url_key            INTEGER NOT NULL, -- 32 bits of the hash of waymark.WeakURLKey, then 32 bits of that of waymark.URLKey
	title              TEXT    NOT NULL,
	image_url          TEXT    NOT NULL,
	description        TEXT    NOT NULL,
	url_folded         TEXT,
	title_folded       TEXT,
	description_folded TEXT,
	title_key          BLOB    NOT NULL -- of waymark.SortKey
);
CREATE UNIQUE INDEX links_url ON links (url_hash, user_id) WHERE visible_to IS NOT NULL;
-- Several links can have one key, for pages that are nearly the same.
CREATE INDEX links_url_key ON links (user_id, url_key) WHERE visible_to IS NOT NULL;
CREATE INDEX links_trash ON links (user_id, id) WHERE visible_to IS NULL;
-- Pages in the orders by id and by created_at are read along these indexes.
CREATE INDEX links_by_id ON links (visible_to) WHERE visible_to IS NOT NULL;
CREATE INDEX links_by_created_at ON links (visible_to, created_at) WHERE visible_to IS NOT NULL;

-- Lists of links. A user can have several with one name, as in LinkAce. They form a tree.
CREATE TABLE lists (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id            INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	parent_id          INTEGER REFERENCES lists (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- the list in which it stands: an active one of the same owner, if this one is active
	position           INTEGER NOT NULL, -- among the lists with this parent; those with the same one are sorted by name
	editing            INTEGER, -- who puts links into it and takes them out: NULL as the parent, without one the owner; 0 the owner, 1 list_editors, too, 2 all users
	visibility         INTEGER NOT NULL,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	deleted_at         INTEGER NOT NULL,
	visible_to         INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	name               TEXT    NOT NULL,
	name_folded        TEXT    NOT NULL,
	name_plain         TEXT    NOT NULL, -- of waymark.Plain
	name_key           BLOB    NOT NULL, -- of waymark.SortKey
	description        TEXT    NOT NULL,
	description_folded TEXT    NOT NULL
);
CREATE INDEX lists_name ON lists (user_id, name_folded, name) WHERE visible_to IS NOT NULL;
CREATE INDEX lists_trash ON lists (user_id, id) WHERE visible_to IS NULL;
CREATE INDEX lists_shared ON lists (user_id) WHERE editing > 0;
CREATE INDEX lists_by_parent ON lists (parent_id, user_id, position);
CREATE INDEX lists_by_name ON lists (visible_to, name_key, name_folded, name) WHERE visible_to IS NOT NULL;
CREATE INDEX lists_by_created_at ON lists (visible_to, created_at) WHERE visible_to IS NOT NULL;

-- Tags of links. A user has one with each name.
CREATE TABLE tags (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility  INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	deleted_at  INTEGER NOT NULL,
	visible_to  INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	name        TEXT    NOT NULL,
	name_folded TEXT    NOT NULL,
	name_plain  TEXT    NOT NULL, -- of waymark.Plain
	name_key    BLOB    NOT NULL -- of waymark.SortKey
);
CREATE UNIQUE INDEX tags_name ON tags (user_id, name_folded) WHERE visible_to IS NOT NULL;
CREATE INDEX tags_trash ON tags (user_id, id) WHERE visible_to IS NULL;
CREATE INDEX tags_by_name ON tags (visible_to, name_key, name_folded, name) WHERE visible_to IS NOT NULL;
CREATE INDEX tags_by_created_at ON tags (visible_to, created_at) WHERE visible_to IS NOT NULL;

-- Notes on links. Their writer need not own the link.
CREATE TABLE notes (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	link_id    INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	visibility INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL,
	visible_to INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	note       TEXT    NOT NULL,
	note_folded TEXT
);
CREATE INDEX notes_by_link ON notes (link_id, visible_to, created_at);
CREATE INDEX notes_trash ON notes (user_id, id) WHERE visible_to IS NULL;

-- The passages that users have marked in the texts of links, which can be those of other users. A passage is found by its
-- own text and what stands around it; position is only a hint.
CREATE TABLE passages (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	link_id    INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	exact      TEXT    NOT NULL,
	prefix     TEXT    NOT NULL,
	suffix     TEXT    NOT NULL,
	position   INTEGER NOT NULL,
	note       TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	searched   TEXT    NOT NULL -- exact and note, of waymark.Plain
);
CREATE INDEX passages_by_link ON passages (link_id, user_id);
CREATE INDEX passages_by_user ON passages (user_id, created_at);

-- The people who are named as editors of lists. They are those of the sublists, too.
CREATE TABLE list_editors (
	list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	PRIMARY KEY (list_id, user_id)
) WITHOUT ROWID;
CREATE INDEX list_editors_by_user ON list_editors (user_id);

-- The links in each list. The list's editors may edit those that the owners of the links have put there.
CREATE TABLE link_lists (
	link_id  INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	list_id  INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
	by_saver BOOLEAN NOT NULL, -- the owner of the link has put it there
	PRIMARY KEY (link_id, list_id)
) WITHOUT ROWID;
CREATE INDEX link_lists_by_list ON link_lists (list_id, link_id);

-- What people have changed in the last day in the lists of others, and in the links of others. They are shown to these
-- owners, who can undo them.
CREATE TABLE shared_changes (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	list_id    INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE, -- of several, the one that gave the right to edit a link
	user_id    INTEGER REFERENCES users (id) ON DELETE SET NULL,
	kind       TEXT    NOT NULL, -- put, taken or edited
	links      INTEGER NOT NULL, -- their number
	created_at INTEGER NOT NULL
);
CREATE INDEX shared_changes_by_list ON shared_changes (list_id);
CREATE INDEX shared_changes_by_user ON shared_changes (user_id);
CREATE INDEX shared_changes_by_created_at ON shared_changes (created_at);

CREATE TABLE shared_change_links (
	change_id INTEGER NOT NULL REFERENCES shared_changes (id) ON DELETE CASCADE,
	link_id   INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	by_saver  BOOLEAN NOT NULL, -- as in link_lists
	steps     BLOB, -- a list of undo.Step for an edited link, else NULL
	PRIMARY KEY (change_id, link_id)
) WITHOUT ROWID;
CREATE INDEX shared_change_links_by_link ON shared_change_links (link_id);

-- The links with each tag.
CREATE TABLE link_tags (
	link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	tag_id  INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
	PRIMARY KEY (link_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX link_tags_by_tag ON link_tags (tag_id, link_id);

-- Pairs of links or tags that a person does not want to merge. A link is its url_hash, so that another URL ends that.
CREATE TABLE kept_apart (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	entity  TEXT    NOT NULL, -- links or tags
	key     INTEGER NOT NULL, -- of links the hash of waymark.WeakURLKey; 0 for tags
	a       TEXT    NOT NULL, -- a hash in hexadecimal digits, or a folded name
	b       TEXT    NOT NULL, -- one that is greater
	UNIQUE (user_id, entity, key, a, b)
);

-- The searches that users have saved under a name.
CREATE TABLE saved_searches (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name       TEXT    NOT NULL,
	query      TEXT    NOT NULL,
	sorted_by  TEXT    NOT NULL, -- '' for the default
	in_lists   BOOLEAN NOT NULL, -- stands among the lists
	public     BOOLEAN NOT NULL, -- has a page for guests
	created_at INTEGER NOT NULL
);
CREATE INDEX saved_searches_by_user ON saved_searches (user_id);

-- The filters that users have given a name in a client of linkding.
CREATE TABLE bundles (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name          TEXT    NOT NULL,
	search        TEXT    NOT NULL, -- words
	any_tags      TEXT    NOT NULL, -- names with spaces between them; the tags need not exist
	all_tags      TEXT    NOT NULL,
	excluded_tags TEXT    NOT NULL,
	unread        TEXT    NOT NULL, -- off, yes or no
	shared        TEXT    NOT NULL,
	position      INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL
);
CREATE INDEX bundles_by_user ON bundles (user_id);

-- The lists that a user sees first. They can belong to other users, so this is no column of lists.
CREATE TABLE pinned_lists (
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, list_id)
) WITHOUT ROWID;
CREATE INDEX pinned_lists_by_list ON pinned_lists (list_id);

-- The tags that a user sees first.
CREATE TABLE pinned_tags (
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	tag_id  INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX pinned_tags_by_tag ON pinned_tags (tag_id);

-- The log of changes: what was inserted, updated or deleted, in this order. The search index reads it
-- to follow the tables. A change of an association is one of its link. Of lists and tags it has the
-- changes of owner, visible_to, name and parent, which decide what labels a link has. Old rows are deleted, but
-- never the newest one, because seq follows it.
CREATE TABLE changes (
	seq    INTEGER PRIMARY KEY,
	entity TEXT    NOT NULL, -- links, lists or tags
	id     INTEGER NOT NULL
);

-- These triggers log. SQLite has no functions that triggers could share, so each table has its own.
CREATE TRIGGER links_after_insert AFTER INSERT ON links BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.id);
END;
CREATE TRIGGER links_after_delete AFTER DELETE ON links BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', old.id);
END;
CREATE TRIGGER links_after_update AFTER UPDATE ON links BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.id);
END;

CREATE TRIGGER lists_after_insert AFTER INSERT ON lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', new.id);
END;
CREATE TRIGGER lists_after_delete AFTER DELETE ON lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', old.id);
END;
CREATE TRIGGER lists_changed AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id OR new.name_folded <> old.name_folded OR new.parent_id IS NOT old.parent_id BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', new.id);
END;

-- Who edits a list changes with who sees it and with the list in which it stands. The store writes the other changes.
CREATE TRIGGER lists_audit AFTER UPDATE ON lists WHEN new.visibility <> old.visibility AND coalesce(new.editing, 1) > 0 OR new.parent_id IS NOT old.parent_id AND new.editing IS NULL BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT CASE WHEN new.visibility <> old.visibility THEN 'visibility of a shared list changed' ELSE 'shared list moved' END, name, '', 'list ' || new.id || CASE WHEN new.visibility <> old.visibility THEN ': visibility ' || new.visibility ELSE '' END
	FROM users
	WHERE id = new.user_id AND EXISTS (SELECT 1 FROM lists WHERE user_id = new.user_id AND editing > 0);
END;

CREATE TRIGGER tags_after_insert AFTER INSERT ON tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', new.id);
END;
CREATE TRIGGER tags_after_delete AFTER DELETE ON tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', old.id);
END;
CREATE TRIGGER tags_changed AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id OR new.name_folded <> old.name_folded BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', new.id);
END;

CREATE TRIGGER link_lists_log_insert AFTER INSERT ON link_lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.link_id);
END;
CREATE TRIGGER link_lists_log_delete AFTER DELETE ON link_lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', old.link_id);
END;
CREATE TRIGGER link_tags_log_insert AFTER INSERT ON link_tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.link_id);
END;
CREATE TRIGGER link_tags_log_delete AFTER DELETE ON link_tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', old.link_id);
END;
