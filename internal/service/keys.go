package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// AddAPIKey makes an API key for a user. The secret is returned here and never
// again. A zero expires is a key that does not end.
func (s *Service) AddAPIKey(ctx context.Context, user, keyName string, access waymark.Access, expires waymark.Time) (secret string, key waymark.APIKey, err error) {
	if err := ValidateKeyName(keyName); err != nil {
		return "", waymark.APIKey{}, err
	}
	if expires != 0 && expires <= s.Now() {
		return "", waymark.APIKey{}, fmt.Errorf("the key would end at %s, which is past", expires)
	}
	owner, err := s.store.UserByName(ctx, user)
	if err != nil {
		return "", waymark.APIKey{}, wrapUser(user, err)
	}
	secret, hash := auth.NewKey()
	key, err = s.store.CreateAPIKey(ctx, waymark.APIKey{Owner: owner.ID, Name: keyName, Access: access, ExpiresAt: expires}, hash)
	if err != nil {
		return "", waymark.APIKey{}, wrapNamed("key", keyName, err)
	}
	return secret, key, nil
}

// RevokeAPIKey ends a user's key of that name, from the next request on.
func (s *Service) RevokeAPIKey(ctx context.Context, user, keyName string) error {
	owner, err := s.store.UserByName(ctx, user)
	if err != nil {
		return wrapUser(user, err)
	}
	return wrapNamed("key", keyName, s.store.DeleteAPIKey(ctx, owner.ID, keyName))
}

// Authenticate returns the key that secret is, and its owner. It is
// waymark.ErrNotFound, and no more is said, where there is no such key, where it
// has ended, and where its owner is disabled. Nothing is cached, so that a key
// stops at once; the use is noted in memory alone, so that no request writes.
func (s *Service) Authenticate(ctx context.Context, secret string) (waymark.User, waymark.APIKey, error) {
	hash, ok := auth.KeyHash(secret)
	if !ok {
		return waymark.User{}, waymark.APIKey{}, waymark.ErrNotFound
	}
	user, key, err := s.store.APIKeyOwner(ctx, hash)
	if err != nil {
		return waymark.User{}, waymark.APIKey{}, err
	}
	now := s.Now()
	if user.Disabled || key.Expired(now) {
		return waymark.User{}, waymark.APIKey{}, waymark.ErrNotFound
	}
	s.keyUse.record(key, now)
	return user, key, nil
}

// SaveAPIKeyUse writes the last use of every key that was noted since the last time,
// in one change. What could not be written is kept for the next time.
func (s *Service) SaveAPIKeyUse(ctx context.Context) error {
	used := s.keyUse.drain()
	if len(used) == 0 {
		return nil
	}
	if err := s.store.SaveAPIKeyUse(ctx, used); err != nil {
		s.keyUse.restore(used)
		return fmt.Errorf("save when keys were last used: %w", err)
	}
	return nil
}

// keyUsage remembers when keys were last used until that is written. The zero value
// is ready for use.
type keyUsage struct {
	mu   sync.Mutex
	last map[waymark.APIKeyID]waymark.Time
}

// record remembers that key was used, unless what is stored is true to the minute.
func (u *keyUsage) record(key waymark.APIKey, now waymark.Time) {
	if now < key.LastUsedAt.Add(time.Minute) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = make(map[waymark.APIKeyID]waymark.Time)
	}
	u.last[key.ID] = max(u.last[key.ID], now)
}

func (u *keyUsage) drain() map[waymark.APIKeyID]waymark.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.last
	u.last = nil
	return used
}

// restore remembers again what was taken, newer uses aside.
func (u *keyUsage) restore(used map[waymark.APIKeyID]waymark.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	newer := u.last
	u.last = used
	maps.Copy(u.last, newer)
}

// ValidateKeyName returns an error if name cannot be the name of an API key.
func ValidateKeyName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a key needs a name")
	case name != strings.TrimSpace(name):
		return fmt.Errorf("the name %q begins or ends with a space", name)
	case utf8.RuneCountInString(name) > waymark.MaxName:
		return fmt.Errorf("the name has %d characters: at most %d are allowed", utf8.RuneCountInString(name), waymark.MaxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the name %q has a control character in it", name)
	}
	return nil
}
