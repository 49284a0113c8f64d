package auth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"waymark/internal/waymark"
)

// PasskeySite is a server for which browsers make passkeys and use them (Web Authentication, level 3).
type PasskeySite struct {
	Host string // which passkeys belong to
	rp   *webauthn.WebAuthn
}

// handleBytes is the length of the random handle that stands for a user on their devices.
const handleBytes = 32

// passkeyEncoding encodes what browsers and devices send as bytes.
var passkeyEncoding = base64.RawURLEncoding

// NewPasskeySite returns the site of a base URL. It returns false if browsers have no passkeys for it: they
// need https, except for localhost, and a name as host.
func NewPasskeySite(baseURL string) (PasskeySite, bool) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return PasskeySite{}, false
	}
	host := strings.ToLower(base.Hostname())
	if _, err := netip.ParseAddr(host); err == nil || host == "" || base.Scheme != "https" && host != "localhost" {
		return PasskeySite{}, false
	}
	rp, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Waymark", RPOrigins: []string{base.Scheme + "://" + base.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(),
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			UserVerification:   protocol.VerificationPreferred,
		},
		// Some password managers answer what nobody has asked.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	return PasskeySite{host, rp}, err == nil
}

type passkeyUser struct {
	handle   []byte
	name     string
	passkeys []webauthn.Credential
}

func (u *passkeyUser) WebAuthnID() []byte                         { return u.handle }
func (u *passkeyUser) WebAuthnName() string                       { return u.name }
func (u *passkeyUser) WebAuthnDisplayName() string                { return u.name }
func (u *passkeyUser) WebAuthnCredentials() []webauthn.Credential { return u.passkeys }

func credentialOf(p waymark.Passkey) (webauthn.Credential, error) {
	id, idErr := passkeyEncoding.DecodeString(p.Credential)
	key, keyErr := passkeyEncoding.DecodeString(p.PublicKey)
	if idErr != nil || keyErr != nil {
		return webauthn.Credential{}, fmt.Errorf("passkey %d is damaged", p.ID)
	}
	credential := webauthn.Credential{ID: id, PublicKey: key}
	credential.Flags.BackupEligible, credential.Flags.BackupState = p.BackupEligible, p.BackedUp
	credential.Authenticator.SignCount = uint32(p.SignCount)
	for transport := range strings.SplitSeq(p.Transports, ",") {
		if transport != "" {
			credential.Transport = append(credential.Transport, protocol.AuthenticatorTransport(transport))
		}
	}
	return credential, nil
}

// Ask returns a question to any passkey for this site, as JSON: options for the browser, data for Verify.
func (s PasskeySite) Ask() (options, data []byte, err error) {
	assertion, session, err := s.rp.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationPreferred))
	return encodeQuestion(assertion, session, err)
}

// AskNew returns a question to a device that makes a passkey. It excludes the user's other devices.
func (s PasskeySite) AskNew(name string, others []waymark.Passkey) (options, data []byte, err error) {
	user := &passkeyUser{name: name}
	for _, p := range others {
		credential, err := credentialOf(p)
		if err != nil {
			return nil, nil, err
		}
		user.passkeys = append(user.passkeys, credential)
		if p.Host == s.Host {
			user.handle, err = passkeyEncoding.DecodeString(p.Handle)
			if err != nil {
				return nil, nil, fmt.Errorf("passkey %d is damaged", p.ID)
			}
		}
	}
	if user.handle == nil {
		user.handle = randomBytes(handleBytes)
	}
	creation, session, err := s.rp.BeginRegistration(user, webauthn.WithExclusions(webauthn.Credentials(user.passkeys).CredentialDescriptors()))
	return encodeQuestion(creation, session, err)
}

func encodeQuestion(question any, session *webauthn.SessionData, err error) (options, data []byte, _ error) {
	if err != nil {
		return nil, nil, fmt.Errorf("ask a passkey: %w", err)
	}
	if options, err = json.Marshal(question); err != nil {
		return nil, nil, err
	}
	data, err = json.Marshal(session)
	return options, data, err
}

// Created returns the passkey that a device has made, from the response of the browser. Its error is
// waymark.ErrUnknownPasskey if that does not fit the data of AskNew.
func (s PasskeySite) Created(data, response []byte) (waymark.Passkey, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(data, &session); err != nil {
		return waymark.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return waymark.Passkey{}, unknownPasskey(err)
	}
	c, err := s.rp.CreateCredential(&passkeyUser{handle: session.UserID}, session, parsed)
	if err != nil {
		return waymark.Passkey{}, unknownPasskey(err)
	}
	transports := waymark.Map(c.Transport, func(t protocol.AuthenticatorTransport) string { return string(t) })
	return waymark.Passkey{
		Credential: passkeyEncoding.EncodeToString(c.ID), Handle: passkeyEncoding.EncodeToString(session.UserID),
		PublicKey: passkeyEncoding.EncodeToString(c.PublicKey), SignCount: int64(c.Authenticator.SignCount),
		BackupEligible: c.Flags.BackupEligible, BackedUp: c.Flags.BackupState, Transports: strings.Join(transports, ","),
		AAGUID: passkeyEncoding.EncodeToString(c.Authenticator.AAGUID), Host: s.Host,
	}, nil
}

// Used is a passkey that has answered.
type Used struct {
	waymark.Passkey      // as it is now
	Verified        bool // the device has verified who the person is, with a PIN or a finger for example
	Cloned          bool // the count has not grown: there may be a copy of the device
}

// Verify returns the passkey that has answered, from the response of the browser. find returns a passkey by
// its Credential. The error is waymark.ErrUnknownPasskey if the response does not fit the data of Ask.
func (s PasskeySite) Verify(data, response []byte, find func(credential string) (waymark.Passkey, error)) (Used, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(data, &session); err != nil {
		return Used{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return Used{}, unknownPasskey(err)
	}
	var used Used
	var findErr error
	flags := parsed.Response.AuthenticatorData.Flags
	handler := func(id, _ []byte) (webauthn.User, error) {
		if used.Passkey, findErr = find(passkeyEncoding.EncodeToString(id)); findErr != nil {
			return nil, findErr
		}
		// The library refuses a passkey that may be on several devices but could not before. When people turn
		// on iCloud Keychain, theirs become such passkeys.
		used.BackupEligible = flags.HasBackupEligible()
		credential, err := credentialOf(used.Passkey)
		if err != nil {
			return nil, err
		}
		handle, err := passkeyEncoding.DecodeString(used.Handle)
		return &passkeyUser{handle: handle, passkeys: []webauthn.Credential{credential}}, err
	}
	_, c, err := s.rp.ValidatePasskeyLogin(handler, session, parsed)
	if findErr != nil {
		return Used{}, findErr
	}
	if err != nil {
		return Used{}, unknownPasskey(err)
	}
	used.SignCount, used.BackedUp = int64(c.Authenticator.SignCount), c.Flags.BackupState
	used.Verified, used.Cloned = flags.HasUserVerified(), c.Authenticator.CloneWarning
	return used, nil
}

func unknownPasskey(err error) error { return fmt.Errorf("%w: %w", waymark.ErrUnknownPasskey, err) }
