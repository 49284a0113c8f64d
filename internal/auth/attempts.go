package auth

import (
	"net/netip"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// Attempts limits the attempts to sign in, so that passwords cannot be guessed, and
// no client can lock out a user by guessing. It counts in memory. The zero value is ready to use.
//
// There are three limits. Failed attempts on one account from one network are followed by growing
// pauses. Attempts from one network on all accounts have a maximum rate. Attempts on one account
// from all networks run one at a time. Only the first limit applies to a network from which the
// user of the account has signed in before, and to a known device, which is counted separately from
// other clients in its network.
type Attempts struct {
	mu       sync.Mutex
	pairs    map[attemptPair]*attemptPause
	networks map[netip.Prefix]*attemptRate
	running  map[string]bool // accounts whose password is being verified for an unknown network
}

// Source is where an attempt comes from.
type Source struct {
	Address netip.Addr
	Known   bool   // the user has signed in from the network of this address before
	Device  string // a token of NewDevice for the user, or ""
}

// attemptPair is an account and a network, or an account and a device.
type attemptPair struct {
	account string
	network netip.Prefix
	device  string
}

// attemptPause counts the attempts of a pair.
type attemptPause struct {
	count int
	until waymark.Time // when the next attempt is allowed
}

// attemptRate counts the attempts of a network. The level decreases by one each
// attemptInterval.
type attemptRate struct {
	level float64
	at    waymark.Time
}

// The limits of Attempts.
const (
	freeAttempts    = 5                // before the first pause
	firstPause      = 10 * time.Second // it doubles with each attempt
	maxPause        = 15 * time.Minute
	forgetAttempts  = time.Hour // after the end of the last pause
	networkAttempts = 30
	attemptInterval = 20 * time.Second
	runningWait     = time.Second

	// maxAttempts is the maximum number of pairs, and of networks, in memory.
	maxAttempts = 20_000
)

// Network returns the network by which clients are counted: an IPv4 address itself, or the /64
// network of an IPv6 address, because an IPv6 client can use any address of its network.
func Network(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // the zero prefix for no address
	return network
}

// Begin begins an attempt to sign in to an account at the time now. It returns how long the
// client has to wait if the attempt is not allowed. Otherwise the caller verifies the password
// and calls end.
func (a *Attempts) Begin(account string, from Source, now waymark.Time) (end func(ok bool), wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	pair := attemptPair{account: account, network: Network(from.Address)}
	known := from.Known
	if from.Device != "" {
		pair.network, pair.device, known = netip.Prefix{}, from.Device, true
	}
	pause := a.pairs[pair]
	if pause != nil && now < pause.until {
		return nil, pause.until.Time().Sub(now.Time())
	}
	if pause == nil || now >= pause.until.Add(forgetAttempts) {
		pause = &attemptPause{}
	}
	var rate *attemptRate
	if !known {
		if a.running[account] {
			return nil, runningWait
		}
		if rate = a.networks[pair.network]; rate == nil {
			rate = &attemptRate{at: now}
		}
		level := rate.levelAt(now)
		if level > networkAttempts-1 {
			return nil, time.Duration((level - networkAttempts + 1) * float64(attemptInterval))
		}
		rate.level, rate.at = level+1, now
	}
	// The attempt counts as failed until it ends, so that concurrent attempts count too.
	pause.count++
	pause.until = now
	if more := pause.count - freeAttempts; more >= 0 {
		pause.until = now.Add(min(maxPause, firstPause<<min(more, 10)))
	}
	a.store(pair, pause, rate, now)
	return func(ok bool) { a.end(pair, known, ok) }, 0
}

func (r *attemptRate) levelAt(now waymark.Time) float64 {
	return max(0, r.level-now.Time().Sub(r.at.Time()).Seconds()/attemptInterval.Seconds())
}

func (a *Attempts) store(pair attemptPair, pause *attemptPause, rate *attemptRate, now waymark.Time) {
	if a.pairs == nil {
		a.pairs, a.networks, a.running = map[attemptPair]*attemptPause{}, map[netip.Prefix]*attemptRate{}, map[string]bool{}
	}
	if len(a.pairs) >= maxAttempts {
		for p, old := range a.pairs {
			if now >= old.until.Add(forgetAttempts) {
				delete(a.pairs, p)
			}
		}
	}
	if len(a.pairs) >= maxAttempts { // the pauses do not slow down a client with this many networks
		clear(a.pairs)
	}
	a.pairs[pair] = pause
	if rate == nil {
		return
	}
	if len(a.networks) >= maxAttempts {
		for n, old := range a.networks {
			if old.levelAt(now) == 0 {
				delete(a.networks, n)
			}
		}
	}
	if len(a.networks) >= maxAttempts {
		clear(a.networks)
	}
	a.networks[pair.network] = rate
	a.running[pair.account] = true
}

func (a *Attempts) end(pair attemptPair, known, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !known {
		delete(a.running, pair.account)
	}
	if !ok {
		return
	}
	delete(a.pairs, pair)
	if rate := a.networks[pair.network]; rate != nil && !known {
		rate.level = max(0, rate.level-1)
	}
}
