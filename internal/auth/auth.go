// Package auth makes and checks what people and programs prove themselves with:
// passwords and API keys. It remembers nothing; the store does.
package auth
