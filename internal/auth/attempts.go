package auth

import (
	"maps"
	"net/netip"
	"sync"
	"time"

	"waymark/internal/waymark"
)

// Attempts limits the attempts to sign in, so that passwords cannot be guessed, and
// no client can lock out a user by guessing. It counts in memory. The zero value is ready to use.
//
// There are two limits. Failed attempts on one account from one network are followed by growing
// pauses. Failed attempts on all accounts have a maximum rate for each network, and for each /48
// network of IPv6, which can be one client with 65,536 networks. Only the first limit applies to a user who is
// signed in, and to a known device. The device is counted separately from other clients in its network. Whether a
// name exists makes no difference.
type Attempts struct {
	mu       sync.Mutex
	pairs    map[attemptPair]*attemptPause
	networks map[netip.Prefix]waymark.Time // the time until which the attempts of a network count
}

// Source is where an attempt comes from.
type Source struct {
	Address netip.Addr
	Known   bool   // the user is signed in, and confirms their password
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

// The limits of Attempts.
const (
	freeAttempts   = 5                // before the first pause
	firstPause     = 10 * time.Second // it doubles with each attempt
	maxPause       = 15 * time.Minute
	forgetAttempts = time.Hour // after the end of its last pause, a pair is forgotten

	// A network may make 30 failed attempts at once and then one in each networkInterval, a /48
	// network 300 and then one in each largeNetworkInterval.
	attemptWindow        = 10 * time.Minute
	networkInterval      = attemptWindow / 30
	largeNetworkInterval = attemptWindow / 300
	largeNetworkBits     = 48

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

// countedNetworks returns the networks whose rates count an attempt from an address.
func countedNetworks(address netip.Addr) []netip.Prefix {
	network := Network(address)
	if !network.Addr().Is6() {
		return []netip.Prefix{network}
	}
	large, _ := network.Addr().Prefix(largeNetworkBits)
	return []netip.Prefix{network, large}
}

// attemptInterval returns by how much an attempt of a network extends its time in Attempts.networks.
// An attempt is refused if the time would then be more than attemptWindow from now.
func attemptInterval(network netip.Prefix) time.Duration {
	if network.Addr().Is6() && network.Bits() == largeNetworkBits {
		return largeNetworkInterval
	}
	return networkInterval
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
	var networks []netip.Prefix
	if !known {
		networks = countedNetworks(from.Address)
		for _, network := range networks {
			counts := a.networks[network].Time().Sub(now.Time()) + attemptInterval(network)
			wait = max(wait, counts-attemptWindow)
		}
		if wait > 0 {
			return nil, wait
		}
	}
	// The attempt counts as failed until it ends, so that concurrent attempts count too.
	pause.count++
	pause.until = now
	if more := pause.count - freeAttempts; more >= 0 {
		pause.until = now.Add(min(maxPause, firstPause<<min(more, 10)))
	}
	a.store(pair, pause, networks, now)
	return func(ok bool) { a.end(pair, networks, ok) }, 0
}

func (a *Attempts) store(pair attemptPair, pause *attemptPause, networks []netip.Prefix, now waymark.Time) {
	if a.pairs == nil {
		a.pairs, a.networks = map[attemptPair]*attemptPause{}, map[netip.Prefix]waymark.Time{}
	}
	makeRoom(a.pairs, func(old *attemptPause) bool { return now >= old.until.Add(forgetAttempts) })
	a.pairs[pair] = pause
	makeRoom(a.networks, func(until waymark.Time) bool { return now >= until })
	for _, network := range networks {
		a.networks[network] = max(now, a.networks[network]).Add(attemptInterval(network))
	}
}

// makeRoom deletes the old values if there are maxAttempts, and all values if too many are left, which
// needs attempts from thousands of networks.
func makeRoom[K comparable, V any](m map[K]V, old func(V) bool) {
	if len(m) < maxAttempts {
		return
	}
	maps.DeleteFunc(m, func(_ K, value V) bool { return old(value) })
	if len(m) >= maxAttempts {
		clear(m)
	}
}

func (a *Attempts) end(pair attemptPair, networks []netip.Prefix, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !ok {
		return
	}
	delete(a.pairs, pair)
	for _, network := range networks {
		if until, counted := a.networks[network]; counted {
			a.networks[network] = until.Add(-attemptInterval(network))
		}
	}
}
