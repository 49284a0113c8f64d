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

func TestStrangersCannotLockOutAUser(t *testing.T) {
	var attempts auth.Attempts
	now := waymark.Time(1e15)
	begin := func(account, address, device string) time.Duration {
		_, wait := attempts.Begin(account, auth.Source{Address: netip.MustParseAddr(address), Device: device}, now)
		return wait
	}
	waits := 0
	for i := range 100 { // strangers at other addresses, and one in the user's own network
		for account, address := range map[string]string{"ada": "198.51.100." + strconv.Itoa(i%10), "user" + strconv.Itoa(i): "2001:db8::2"} {
			if begin(account, address, "") > 0 {
				waits++
			}
		}
	}
	if waits != 50+70 {
		t.Errorf("%d of 200 attempts had to wait, want those after 5 of each address, and after 30 of the network", waits)
	}
	if wait := begin("ada", "2001:db8::abcd", ""); wait != 20*time.Second {
		t.Errorf("the user in the network of a stranger has to wait %s, want 20s", wait)
	}
	for what, wait := range map[string]time.Duration{
		"the browser of the user in the same network": begin("ada", "2001:db8::abcd", "device"),
		"the user at a new address":                   begin("ada", "203.0.113.9", ""),
	} {
		if wait != 0 {
			t.Errorf("%s has to wait %s", what, wait)
		}
	}
}
