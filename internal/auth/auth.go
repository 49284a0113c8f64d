// Package auth creates and verifies credentials: password hashes and API keys. It
// stores nothing.
package auth
