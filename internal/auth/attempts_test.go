package auth_test

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// addressIn returns an address in the /64 network with this number in a /48 network.
func addressIn(large string, network uint16) netip.Addr {
	address := netip.MustParseAddr(large).As16()
	binary.BigEndian.PutUint16(address[6:], network)
	return netip.AddrFrom16(address)
}

// A client with a /48 network could make the limits of others be forgotten: the maps have a maximum
// size, and an attempt from each of its 65,536 networks exceeded it.
func TestClientWithManyNetworksIsLimitedAndDoesNotEndPauses(t *testing.T) {
	var attempts auth.Attempts
	now := waymark.Time(1e15)
	begin := func(account string, address netip.Addr, ok bool) time.Duration {
		end, wait := attempts.Begin(account, auth.Source{Address: address}, now)
		if wait == 0 {
			end(ok)
		}
		return wait
	}
	other := netip.MustParseAddr("192.0.2.1")
	for begin("ada", other, false) == 0 {
	}
	allowed := 0
	for i := range 1 << 16 {
		if begin("user"+strconv.Itoa(i), addressIn("2001:db8:1::", uint16(i)), false) == 0 {
			allowed++
		}
	}
	if allowed != 300 {
		t.Errorf("a client with a /48 network had %d attempts at once, want 300", allowed)
	}
	if begin("ada", other, true) == 0 {
		t.Error("the pause of another client has ended")
	}
	if wait := begin("bob", addressIn("2001:db8:2::", 1), false); wait != 0 {
		t.Errorf("a client in another /48 network has to wait %s", wait)
	}
	if wait := begin("bob", addressIn("2001:db8:1::", 1), false); wait != 2*time.Second {
		t.Errorf("the /48 network has to wait %s, want 2s", wait)
	}
	now = now.Add(2 * time.Second)
	for range 2 { // a successful attempt does not count
		if wait := begin("bob", addressIn("2001:db8:1::", 1), true); wait != 0 {
			t.Errorf("2 s later: got a wait of %s", wait)
		}
	}
}
