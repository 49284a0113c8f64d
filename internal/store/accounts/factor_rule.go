package accounts

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// factorRequired is an SQL condition: administrators require a second factor of the user u. It has the rules
// of waymark.FactorRule.
const factorRequired = `EXISTS (
	SELECT 1
	FROM instance_settings
	WHERE second_factor = 'all' OR second_factor = 'administrators' AND u.admin)`

// FactorRule returns who must have a second factor.
func (s *Store) FactorRule(ctx context.Context) (waymark.FactorRule, error) {
	rule, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[waymark.FactorRule], `
		SELECT second_factor
		FROM instance_settings`)
	if errors.Is(err, waymark.ErrNotFound) { // nobody has chosen it yet
		return waymark.FactorOptional, nil
	}
	return rule, err
}

// SetFactorRule sets who must have a second factor. by is the name of the administrator who sets it.
func (s *Store) SetFactorRule(ctx context.Context, rule waymark.FactorRule, by string) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		changed, err := q.Exec(ctx, `
			INSERT INTO instance_settings (id, second_factor)
			VALUES (1, $1)
			ON CONFLICT (id) DO UPDATE SET second_factor = excluded.second_factor
			WHERE instance_settings.second_factor <> excluded.second_factor`, rule)
		if err != nil || changed == 0 {
			return err
		}
		detail := string(rule)
		if rule == waymark.FactorOptional {
			detail = "off"
		}
		return AddAuditEvent(ctx, q, "second factor required", by, detail)
	})
}
