-- Users, how they sign in, and the log of what administrators change.
--
-- Migrations begin at 101: development versions before the first release had others, up to 21, and
-- their databases are refused. A migration that was released is never edited: add the next number,
-- here and for PostgreSQL.
--
-- In all tables, times are microseconds since 1970-01-01 UTC; 0 means never. A column …_folded has the
-- text of another column with its case folded by Go, so that SQLite and PostgreSQL compare, sort and
-- search every script alike. A column has a DEFAULT only if it is left out of an INSERT.
--
-- Columns called hash have the SHA-256 hash of a random secret with 256 bits, unless they say otherwise.

-- People with an account.
CREATE TABLE users (
	id                INTEGER PRIMARY KEY AUTOINCREMENT,
	name              TEXT    NOT NULL,
	name_folded       TEXT    NOT NULL UNIQUE,
	password_hash     TEXT    NOT NULL,
	admin             BOOLEAN NOT NULL,
	disabled          BOOLEAN NOT NULL,
	-- The defaults for new links, lists, tags and notes.
	link_visibility   INTEGER NOT NULL,
	list_visibility   INTEGER NOT NULL,
	tag_visibility    INTEGER NOT NULL,
	note_visibility   INTEGER NOT NULL,
	-- How the pages look for the user. An empty text or 0 is the default.
	language          TEXT    NOT NULL,
	time_zone         TEXT    NOT NULL,
	theme             TEXT    NOT NULL,
	link_view         TEXT    NOT NULL,
	links_per_page    INTEGER NOT NULL,
	new_tab           BOOLEAN NOT NULL,
	hide_descriptions BOOLEAN NOT NULL,
	no_shortcuts      BOOLEAN NOT NULL,
	only_mine         BOOLEAN NOT NULL,
	opening_reads     BOOLEAN NOT NULL, -- opening an unread link marks it as read
	save_unread       BOOLEAN NOT NULL, -- links that are saved in the pages are unread
	unread_order      TEXT    NOT NULL, -- of the page with unread links
	-- How the reader shows texts.
	reading_size      TEXT    NOT NULL,
	reading_width     TEXT    NOT NULL,
	reading_theme     TEXT    NOT NULL,
	-- What the server does with the user's links.
	no_metadata       BOOLEAN NOT NULL,
	no_checks         BOOLEAN NOT NULL,
	no_pictures       BOOLEAN NOT NULL,
	snapshots         TEXT    NOT NULL, -- which snapshots; an empty text is the default
	created_at        INTEGER NOT NULL
);

-- The keys with which programs use the API.
CREATE TABLE api_keys (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name         TEXT    NOT NULL,
	hash         TEXT    NOT NULL UNIQUE,
	access       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	UNIQUE (user_id, name)
);

-- API keys that were revoked a minute ago at most, so that it can be undone. They are in a table of
-- their own so that no query for a key can find one.
CREATE TABLE revoked_api_keys (
	id           INTEGER PRIMARY KEY,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name         TEXT    NOT NULL,
	hash         TEXT    NOT NULL,
	access       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	revoked_at   INTEGER NOT NULL
);

-- The browsers in which users are signed in.
CREATE TABLE sessions (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	hash         TEXT    NOT NULL UNIQUE,
	persistent   BOOLEAN NOT NULL, -- the user asked to stay signed in
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL, -- at the latest: it ends earlier if it is not used
	confirmed_at INTEGER NOT NULL, -- when the user last proved who they are
	method       TEXT    NOT NULL, -- how the user has signed in
	browser      TEXT    NOT NULL, -- the User-Agent header
	address      TEXT    NOT NULL, -- the IP address
	-- 0 for none. Both may be gone by now.
	passkey_id   INTEGER NOT NULL, -- with which the user has signed in
	trust_id     INTEGER NOT NULL, -- of trusted_browsers
	id_token     TEXT    NOT NULL  -- of the provider, to sign out there too
);
CREATE INDEX sessions_by_user ON sessions (user_id);

-- Accounts at sign-in providers with which users sign in. A provider never uses a subject again, while
-- people may choose or exchange names and e-mail addresses: so an account is found by its issuer and
-- subject alone.
CREATE TABLE identities (
	issuer       TEXT    NOT NULL,
	subject      TEXT    NOT NULL,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name         TEXT    NOT NULL, -- what the provider calls the person, for the settings
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	PRIMARY KEY (issuer, subject),
	UNIQUE (user_id, issuer)
);

-- Requests to the provider that browsers have begun, each until its response arrives. They are in the
-- database so that any server of it can take the response, and only once.
CREATE TABLE provider_requests (
	hash            TEXT    NOT NULL PRIMARY KEY,
	purpose         TEXT    NOT NULL,
	nonce           TEXT    NOT NULL,
	verifier        TEXT    NOT NULL, -- of PKCE
	user_id         INTEGER  REFERENCES users (id) ON DELETE CASCADE, -- who is signed in, NULL if nobody is
	invitation_hash TEXT    NOT NULL, -- that is accepted, "" for none
	persistent      BOOLEAN NOT NULL, -- as in sessions
	back            TEXT    NOT NULL, -- the path to go to afterwards
	expires_at      INTEGER NOT NULL
);

-- The secrets that authenticator apps of users share with the server (RFC 6238). They are not hashed, because
-- codes are computed from them: backups need the same protection as passwords.
CREATE TABLE authenticators (
	user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	secret     TEXT    NOT NULL, -- base32
	used_step  INTEGER NOT NULL, -- of the last code that was accepted: the number of 30 seconds since 1970
	created_at INTEGER NOT NULL
);

-- The codes that replace a lost authenticator app. Each works once, and is then deleted.
CREATE TABLE recovery_codes (
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	hash    TEXT    NOT NULL, -- of a random code of 80 bits
	PRIMARY KEY (user_id, hash)
);

-- The browsers that are not asked for a code for some time, because the user trusts them.
CREATE TABLE trusted_browsers (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	hash       TEXT    NOT NULL UNIQUE, -- of a secret in a cookie
	expires_at INTEGER NOT NULL
);
CREATE INDEX trusted_browsers_by_user ON trusted_browsers (user_id);

-- The public keys of passkeys with which users sign in.
CREATE TABLE passkeys (
	id              INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	credential      TEXT    NOT NULL UNIQUE, -- the id that the device has given it
	handle          TEXT    NOT NULL, -- random bytes that stand for the user on their devices
	public_key      TEXT    NOT NULL,
	sign_count      INTEGER NOT NULL,
	backup_eligible BOOLEAN NOT NULL, -- it may be on several devices
	backed_up       BOOLEAN NOT NULL,
	transports      TEXT    NOT NULL,
	aaguid          TEXT    NOT NULL, -- the kind of device
	host            TEXT    NOT NULL, -- the only host for which it works
	name            TEXT    NOT NULL,
	created_at      INTEGER NOT NULL,
	last_used_at    INTEGER NOT NULL
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- What administrators have chosen for everyone, in one row. There is none before they do.
CREATE TABLE instance_settings (
	id            INTEGER PRIMARY KEY CHECK (id = 1),
	second_factor TEXT    NOT NULL -- who must have one: '' for nobody, 'administrators' or 'all'
);

-- Questions to passkeys, each until it is answered. hash is that of a secret in a cookie.
CREATE TABLE passkey_challenges (
	hash       TEXT    NOT NULL PRIMARY KEY,
	user_id    INTEGER REFERENCES users (id) ON DELETE CASCADE, -- who adds a passkey, NULL for a question to any
	data       TEXT    NOT NULL,
	expires_at INTEGER NOT NULL
);

-- When a user was last seen with a session or an API key that is gone, because the list of users
-- shows it.
CREATE TABLE last_seen (
	user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	at      INTEGER NOT NULL
);
-- When a user is deleted, so are the sessions and keys, and the SELECT finds no user.
CREATE TRIGGER sessions_last_seen AFTER DELETE ON sessions BEGIN
	INSERT INTO last_seen (user_id, at)
	SELECT id, old.last_seen_at FROM users WHERE id = old.user_id
	ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE at < excluded.at;
END;
CREATE TRIGGER api_keys_last_seen AFTER DELETE ON api_keys WHEN old.last_used_at > 0 BEGIN
	INSERT INTO last_seen (user_id, at)
	SELECT id, old.last_used_at FROM users WHERE id = old.user_id
	ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE at < excluded.at;
END;

-- One-time tokens with which a new user creates an account. They stop working when their creator is
-- no longer an administrator.
CREATE TABLE invitations (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	hash       TEXT    NOT NULL UNIQUE,
	name       TEXT    NOT NULL,
	admin      BOOLEAN NOT NULL,
	setup      BOOLEAN NOT NULL, -- for the first user, valid as long as there is no user
	created_by INTEGER REFERENCES users (id) ON DELETE CASCADE, -- NULL for a setup
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
);

-- One-time tokens with which a user sets a new password, one at a time.
CREATE TABLE password_resets (
	user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	hash       TEXT    NOT NULL UNIQUE,
	created_by INTEGER REFERENCES users (id) ON DELETE CASCADE,
	expires_at INTEGER NOT NULL
);

-- The tokens in the URLs of a user's feeds. They are not hashed, because the pages show these URLs
-- again.
CREATE TABLE feed_tokens (
	user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	token   TEXT    NOT NULL UNIQUE
);

-- Changes of users and API keys, until a server has logged and deleted them. Triggers write them, so
-- that the log also has what commands change.
CREATE TABLE audit_events (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	at        INTEGER NOT NULL DEFAULT (CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)),
	event     TEXT    NOT NULL,
	user_name TEXT    NOT NULL,
	key_name  TEXT    NOT NULL,
	detail    TEXT    NOT NULL
);
CREATE TRIGGER users_audit_insert AFTER INSERT ON users BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail) VALUES ('user added', new.name, '', '');
END;
CREATE TRIGGER users_audit_delete AFTER DELETE ON users BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail) VALUES ('user removed', old.name, '', '');
END;
CREATE TRIGGER users_audit_update AFTER UPDATE ON users BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'user renamed', old.name, '', 'to ' || new.name WHERE new.name <> old.name
	UNION ALL SELECT 'password changed', new.name, '', '' WHERE new.password_hash <> old.password_hash
	UNION ALL SELECT CASE WHEN new.admin THEN 'administrator added' ELSE 'administrator removed' END, new.name, '', '' WHERE new.admin <> old.admin
	UNION ALL SELECT CASE WHEN new.disabled THEN 'user disabled' ELSE 'user enabled' END, new.name, '', '' WHERE new.disabled <> old.disabled
	UNION ALL SELECT 'default visibility changed', new.name, '', 'links ' || new.link_visibility || ', lists ' || new.list_visibility || ', tags ' || new.tag_visibility || ', notes ' || new.note_visibility
		WHERE (new.link_visibility, new.list_visibility, new.tag_visibility, new.note_visibility) <> (old.link_visibility, old.list_visibility, old.tag_visibility, old.note_visibility);
END;
CREATE TRIGGER api_keys_audit_insert AFTER INSERT ON api_keys BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'API key added', name, new.name, new.access || ' access' FROM users WHERE id = new.user_id;
END;
-- Removing a user also deletes their keys: the user is then gone, and there is one event.
CREATE TRIGGER api_keys_audit_delete AFTER DELETE ON api_keys BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'API key revoked', name, old.name, '' FROM users WHERE id = old.user_id;
END;
CREATE TRIGGER identities_audit_insert AFTER INSERT ON identities BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'sign-in provider connected', name, '', 'subject ' || new.subject || ' at ' || new.issuer FROM users WHERE id = new.user_id;
END;
CREATE TRIGGER identities_audit_delete AFTER DELETE ON identities BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'sign-in provider disconnected', name, '', 'subject ' || old.subject || ' at ' || old.issuer FROM users WHERE id = old.user_id;
END;
