# `make check` is the whole gate, on a desk and in CI. Everything it runs can be
# run alone: each prerequisite of check is a target below.

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 5s

# The race detector looks at all code but SQLite's, which is C made into Go, locks
# for itself, and would take seven times as long.
RACE := -race -gcflags=modernc.org/sqlite/lib=-race=false

.DEFAULT_GOAL := check
.PHONY: check needs format tidy vet lint document fuzz test failover bench load build run fmt clean

# One after the other, cheapest first: each step keeps every core busy by
# itself. The tests come last, so that their verdict is the last thing said.
check: needs format tidy vet lint document fuzz
	$(MAKE) test

# What the gate needs beyond Go and a C compiler: installed on Debian as root,
# named elsewhere. With CI=true whatever is missing is a failure.
needs:
	scripts/needs.sh

format:
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')) && \
	if [ -n "$$unformatted" ]; then \
		echo "not formatted (make fmt does it):"; echo "$$unformatted"; exit 1; \
	fi

# go.mod and go.sum name what the code needs, and nothing else. A test of SQLite's
# driver wants pprof, which not every module proxy has: hence -e, and the one
# exception. To mend: go mod tidy -e, and a look at the diff.
tidy:
	@untidy=$$(go mod tidy -e -diff 2>/dev/null | grep '^[-+]' | grep -v -e '^[-+][-+][-+] ' -e google/pprof); \
	if [ -n "$$untidy" ]; then \
		echo "go.mod or go.sum is not tidy (go mod tidy -e does it):"; echo "$$untidy"; exit 1; \
	fi

vet:
	go vet ./...

# The linter has a module of its own, so that what it needs is not what Waymark
# needs. Built the first time, which takes minutes; then it comes from Go's cache.
lint:
	go tool -modfile=tools/go.mod golangci-lint run

document:
	@command -v npx >/dev/null || { echo "npx is missing: the API document is not checked"; exit 0; }; \
	cd tools && \
	{ [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund; } && \
	npx redocly lint --config redocly.yaml ../internal/linkace/openapi.yaml

# On SQLite, and on a PostgreSQL of the tests' own.
test:
	scripts/postgres.sh go test $(RACE) -timeout 30m ./...

# The tests in which PostgreSQL servers die under load, with what they have counted.
failover:
	go test -count=1 -v -run 'TestFailOver|TestServerStops' ./internal/cli

# FUZZTIME for every fuzz target there is, one after the other.
fuzz:
	scripts/fuzz.sh $(FUZZTIME)

# In the format that benchstat reads, and then many connections at once.
bench:
	go test -C tools/bench -run "^$$$$" -bench . -benchmem -timeout 0 ./...
	$(MAKE) load

# LINKS, CONNECTIONS, FOR and DATABASE say what and how: see the script.
load:
	scripts/load.sh

build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X waymark/internal/cli.version=$(VERSION)' -o waymark .

run:
	go run . serve

fmt:
	gofmt -w $$(git ls-files -co --exclude-standard '*.go')

clean:
	rm -rf waymark tools/node_modules
