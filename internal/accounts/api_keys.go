package accounts

import (
	"context"
	"fmt"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// AddAPIKey creates an API key for a user and returns its secret, which is not stored. A
// key with zero expires never expires.
func (a *Accounts) AddAPIKey(ctx context.Context, user, keyName string, access waymark.Access, expires waymark.Time) (secret string, key waymark.APIKey, err error) {
	if err := waymark.ValidateKeyName(keyName); err != nil {
		return "", waymark.APIKey{}, err
	}
	if expires != 0 && expires <= a.store.Now() {
		return "", waymark.APIKey{}, fmt.Errorf("the expiry %s is in the past", expires)
	}
	owner, err := a.store.Accounts.UserByName(ctx, user)
	if err != nil {
		return "", waymark.APIKey{}, wrapUser(user, err)
	}
	secret, hash := auth.NewKey()
	key, err = a.store.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: owner.ID, Name: keyName, Access: access, ExpiresAt: expires}, hash)
	if err != nil {
		return "", waymark.APIKey{}, wrapNamed("API key", keyName, err)
	}
	return secret, key, nil
}

// RevokeAPIKey deletes the user's key with this name. It stops working immediately.
func (a *Accounts) RevokeAPIKey(ctx context.Context, user, keyName string) error {
	owner, err := a.store.Accounts.UserByName(ctx, user)
	if err != nil {
		return wrapUser(user, err)
	}
	return wrapNamed("API key", keyName, a.store.Accounts.DeleteAPIKey(ctx, owner.ID, keyName))
}

// Authenticate returns the key with this secret, and its owner. It returns
// waymark.ErrNotFound if there is no such key, if the key has expired, and if its owner is
// disabled. Keys are not cached, so that revoking one takes effect immediately. The time of
// use is recorded in memory only, so that reads do not write to the database.
func (a *Accounts) Authenticate(ctx context.Context, secret string) (waymark.User, waymark.APIKey, error) {
	hash, ok := auth.KeyHash(secret)
	if !ok {
		return waymark.User{}, waymark.APIKey{}, waymark.ErrNotFound
	}
	user, key, err := a.store.Accounts.APIKeyOwner(ctx, hash)
	now := a.store.Now()
	if err == nil && (user.Disabled || key.Expired(now)) {
		err = waymark.ErrNotFound
	}
	if err != nil {
		return waymark.User{}, waymark.APIKey{}, err
	}
	a.keyUse.record(key.ID, key.LastUsedAt, now)
	return user, key, nil
}

// SaveAPIKeyUse writes the times of use that were recorded since the last call, in one
// transaction. If that fails, they are kept for the next call.
func (a *Accounts) SaveAPIKeyUse(ctx context.Context) error {
	if err := a.keyUse.save(ctx, a.store.Accounts.SaveAPIKeyUse); err != nil {
		return fmt.Errorf("save the last use of API keys: %w", err)
	}
	return nil
}
