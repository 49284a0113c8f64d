// Package auth creates and verifies credentials: password hashes, API keys, and the tokens of
// sessions, one-time tokens and devices. It also limits attempts to sign in, which it counts in
// memory. It writes nothing to the database.
package auth
