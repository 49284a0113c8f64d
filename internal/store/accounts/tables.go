package accounts

import (
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

type apiKeyRow struct {
	waymark.APIKey
	hash string
}

// APIKeys is the table of API keys.
var APIKeys = table.New("api_keys",
	table.Generated("id", func(k *apiKeyRow) *waymark.APIKeyID { return &k.ID }),
	table.Fixed("user_id", func(k *apiKeyRow) *waymark.UserID { return &k.Owner }),
	table.Fixed("name", func(k *apiKeyRow) *string { return &k.Name }),
	table.Fixed("hash", func(k *apiKeyRow) *string { return &k.hash }),
	table.Fixed("access", func(k *apiKeyRow) *waymark.Access { return &k.Access }),
	table.Fixed("created_at", func(k *apiKeyRow) *waymark.Time { return &k.CreatedAt }),
	table.Fixed("last_used_at", func(k *apiKeyRow) *waymark.Time { return &k.LastUsedAt }),
	table.Fixed("expires_at", func(k *apiKeyRow) *waymark.Time { return &k.ExpiresAt }),
)

type sessionRow struct {
	waymark.Session
	hash string
}

// Sessions is the table of sessions.
var Sessions = table.New("sessions",
	table.Generated("id", func(s *sessionRow) *waymark.SessionID { return &s.ID }),
	table.Fixed("user_id", func(s *sessionRow) *waymark.UserID { return &s.UserID }),
	table.Fixed("hash", func(s *sessionRow) *string { return &s.hash }),
	table.Fixed("persistent", func(s *sessionRow) *bool { return &s.Persistent }),
	table.Fixed("created_at", func(s *sessionRow) *waymark.Time { return &s.CreatedAt }),
	table.Fixed("last_seen_at", func(s *sessionRow) *waymark.Time { return &s.LastSeenAt }),
	table.Fixed("expires_at", func(s *sessionRow) *waymark.Time { return &s.ExpiresAt }),
	table.Fixed("confirmed_at", func(s *sessionRow) *waymark.Time { return &s.ConfirmedAt }),
	table.Fixed("method", func(s *sessionRow) *waymark.SignInMethod { return &s.Method }),
	table.Fixed("browser", func(s *sessionRow) *string { return &s.Browser }),
	table.Fixed("address", func(s *sessionRow) *string { return &s.Address }),
	table.Fixed("passkey_id", func(s *sessionRow) *waymark.PasskeyID { return &s.PasskeyID }),
	table.Fixed("trust_id", func(s *sessionRow) *waymark.TrustID { return &s.TrustID }),
	table.Fixed("id_token", func(s *sessionRow) *string { return &s.IDToken }),
)

// Identities is the table of accounts at sign-in providers.
var Identities = table.New("identities",
	table.Fixed("issuer", func(i *waymark.Identity) *string { return &i.Issuer }),
	table.Fixed("subject", func(i *waymark.Identity) *string { return &i.Subject }),
	table.Fixed("user_id", func(i *waymark.Identity) *waymark.UserID { return &i.UserID }),
	table.Fixed("name", func(i *waymark.Identity) *string { return &i.Name }),
	table.Fixed("created_at", func(i *waymark.Identity) *waymark.Time { return &i.CreatedAt }),
	table.Fixed("last_seen_at", func(i *waymark.Identity) *waymark.Time { return &i.LastSeenAt }),
)

type invitationRow struct {
	waymark.Invitation
	hash string
}

// Invitations is the table of invitations.
var Invitations = table.New("invitations",
	table.Generated("id", func(i *invitationRow) *waymark.InvitationID { return &i.ID }),
	table.Fixed("hash", func(i *invitationRow) *string { return &i.hash }),
	table.Fixed("name", func(i *invitationRow) *string { return &i.Name }),
	table.Fixed("admin", func(i *invitationRow) *bool { return &i.Admin }),
	table.Fixed("setup", func(i *invitationRow) *bool { return &i.Setup }),
	table.Nullable("created_by", func(i *invitationRow) *waymark.UserID { return &i.CreatedBy }),
	table.Fixed("created_at", func(i *invitationRow) *waymark.Time { return &i.CreatedAt }),
	table.Fixed("expires_at", func(i *invitationRow) *waymark.Time { return &i.ExpiresAt }),
)

// SavedSearches is the table of saved searches.
var SavedSearches = table.New("saved_searches",
	table.Generated("id", func(s *waymark.SavedSearch) *waymark.SavedSearchID { return &s.ID }),
	table.Fixed("user_id", func(s *waymark.SavedSearch) *waymark.UserID { return &s.Owner }),
	table.Field("name", func(s *waymark.SavedSearch) *string { return &s.Name }),
	table.Field("query", func(s *waymark.SavedSearch) *string { return &s.Query }),
	table.Field("sorted_by", func(s *waymark.SavedSearch) *string { return &s.Order }),
	table.Field("in_lists", func(s *waymark.SavedSearch) *bool { return &s.InLists }),
	table.Field("public", func(s *waymark.SavedSearch) *bool { return &s.Public }),
	table.Fixed("created_at", func(s *waymark.SavedSearch) *waymark.Time { return &s.CreatedAt }),
)

// Bundles is the table of bundles.
var Bundles = table.New("bundles",
	table.Generated("id", func(b *waymark.Bundle) *waymark.BundleID { return &b.ID }),
	table.Fixed("user_id", func(b *waymark.Bundle) *waymark.UserID { return &b.Owner }),
	table.Field("name", func(b *waymark.Bundle) *string { return &b.Name }),
	table.Field("search", func(b *waymark.Bundle) *string { return &b.Search }),
	table.Field("any_tags", func(b *waymark.Bundle) *string { return &b.AnyTags }),
	table.Field("all_tags", func(b *waymark.Bundle) *string { return &b.AllTags }),
	table.Field("excluded_tags", func(b *waymark.Bundle) *string { return &b.ExcludedTags }),
	table.Field("unread", func(b *waymark.Bundle) *waymark.FilterState { return &b.Unread }),
	table.Field("shared", func(b *waymark.Bundle) *waymark.FilterState { return &b.Shared }),
	table.Field("position", func(b *waymark.Bundle) *int64 { return &b.Position }),
	table.Fixed("created_at", func(b *waymark.Bundle) *waymark.Time { return &b.CreatedAt }),
	table.Field("updated_at", func(b *waymark.Bundle) *waymark.Time { return &b.UpdatedAt }),
)

// Passkeys is the table of passkeys.
var Passkeys = table.New("passkeys",
	table.Generated("id", func(p *waymark.Passkey) *waymark.PasskeyID { return &p.ID }),
	table.Fixed("user_id", func(p *waymark.Passkey) *waymark.UserID { return &p.UserID }),
	table.Fixed("credential", func(p *waymark.Passkey) *string { return &p.Credential }),
	table.Fixed("handle", func(p *waymark.Passkey) *string { return &p.Handle }),
	table.Fixed("public_key", func(p *waymark.Passkey) *string { return &p.PublicKey }),
	table.Field("sign_count", func(p *waymark.Passkey) *int64 { return &p.SignCount }),
	table.Field("backup_eligible", func(p *waymark.Passkey) *bool { return &p.BackupEligible }),
	table.Field("backed_up", func(p *waymark.Passkey) *bool { return &p.BackedUp }),
	table.Fixed("transports", func(p *waymark.Passkey) *string { return &p.Transports }),
	table.Fixed("aaguid", func(p *waymark.Passkey) *string { return &p.AAGUID }),
	table.Fixed("host", func(p *waymark.Passkey) *string { return &p.Host }),
	table.Field("name", func(p *waymark.Passkey) *string { return &p.Name }),
	table.Fixed("created_at", func(p *waymark.Passkey) *waymark.Time { return &p.CreatedAt }),
	table.Field("last_used_at", func(p *waymark.Passkey) *waymark.Time { return &p.LastUsedAt }),
)
