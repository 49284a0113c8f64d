package backup

import (
	"slices"
	"strings"
	"testing"
)

func TestToolsGetTheirPartOfTheURL(t *testing.T) {
	for _, test := range []struct {
		url, public string
		env         []string
	}{
		{"postgres://ann:s%40cret@db/links?sslmode=disable", "postgres://ann@db/links?sslmode=disable&target_session_attrs=read-write", []string{"PGPASSWORD=s@cret"}},
		{"postgres://ann@db/links", "postgres://ann@db/links?target_session_attrs=read-write", nil},
		{"postgresql://ann:a:b@db1:5432,db2:5433/links?search_path=x&target_session_attrs=primary", "postgresql://ann@db1:5432,db2:5433/links?target_session_attrs=primary", []string{"PGPASSWORD=a:b"}},
		{"postgres:///links?host=/run/postgresql&user=ann&password=s%26t", "postgres:///links?host=/run/postgresql&user=ann&target_session_attrs=read-write", []string{"PGPASSWORD=s&t"}},
		{"postgres://db", "postgres://db?target_session_attrs=read-write", nil},
		{"postgres:///?service=links&servicefile=/etc/my%20services", "postgres:///?service=links&target_session_attrs=read-write", []string{"PGSERVICEFILE=/etc/my services"}},
		{
			"postgres://db/links?ssl=true&sslcertmode=require&sslnegotiation=direct&require_auth=scram-sha-256&max_protocol_version=3.2&timezone=UTC",
			"postgres://db/links?ssl=true&sslcertmode=require&sslnegotiation=direct&require_auth=scram-sha-256&max_protocol_version=3.2&target_session_attrs=read-write", nil,
		},
	} {
		public, env, err := toolURL(test.url)
		if err != nil || public != test.public || !slices.Equal(env, test.env) {
			t.Errorf("%s: got %q, %q and %v, want %q and %q", test.url, public, env, err, test.public, test.env)
		}
	}
	if _, _, err := toolURL("postgres://db/links?sslkey=key.pem&sslpassword=secret"); err == nil || !strings.Contains(err.Error(), "service file") {
		t.Errorf("sslpassword: got %v, want what to do", err)
	}
}
