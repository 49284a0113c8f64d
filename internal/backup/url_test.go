package backup

import "testing"

func TestSplitPassword(t *testing.T) {
	for _, test := range []struct{ url, public, password string }{
		{"postgres://ann:s%40cret@db/links?sslmode=disable", "postgres://ann@db/links?sslmode=disable", "s@cret"},
		{"postgres://ann@db/links", "postgres://ann@db/links", ""},
		{"postgresql://ann:a:b@db1:5432,db2:5433/links?search_path=x&target_session_attrs=read-write", "postgresql://ann@db1:5432,db2:5433/links?target_session_attrs=read-write", "a:b"},
		{"postgres:///links?host=/run/postgresql&user=ann&password=s%26t", "postgres:///links?host=/run/postgresql&user=ann", "s&t"},
		{"postgres://db", "postgres://db", ""},
	} {
		public, password := splitPassword(test.url)
		if public != test.public || password != test.password {
			t.Errorf("%s: got %q and %q, want %q and %q", test.url, public, password, test.public, test.password)
		}
	}
}
