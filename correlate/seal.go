package correlate

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// SealKey is a 32-byte key. Every way of printing it yields a placeholder.
type SealKey struct{ raw [32]byte }

// String returns a placeholder.
func (SealKey) String() string { return "[seal key]" }

// GoString returns a placeholder.
func (SealKey) GoString() string { return "[seal key]" }

// LogValue returns a placeholder.
func (SealKey) LogValue() slog.Value { return slog.StringValue("[seal key]") }

// MarshalText returns a placeholder.
func (SealKey) MarshalText() ([]byte, error) { return []byte("[seal key]"), nil }

// NewKey makes a key, for a store that does not outlive the process.
func NewKey(rand io.Reader) (SealKey, error) {
	var k SealKey
	if _, err := io.ReadFull(rand, k.raw[:]); err != nil {
		return k, fmt.Errorf("making a seal key: %w", err)
	}
	return k, nil
}

// ParseKeys reads a comma list of base64 keys, newest first. Errors say which
// one is wrong, never what it is.
func ParseKeys(list string) ([]SealKey, error) {
	var keys []SealKey
	var errs []error
	for i, text := range strings.Split(list, ",") {
		raw, err := decodeKey(strings.TrimSpace(text))
		if err != nil {
			errs = append(errs, fmt.Errorf("key %d %w; make one with: head -c 32 /dev/urandom | base64", i+1, err))
			continue
		}
		keys = append(keys, SealKey{raw: [32]byte(raw)})
	}
	return keys, errors.Join(errs...)
}

func decodeKey(text string) ([]byte, error) {
	if text == "" {
		return nil, errors.New("is empty")
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if raw, err := enc.DecodeString(text); err == nil {
			if len(raw) != 32 {
				return nil, fmt.Errorf("has %d bytes, not 32", len(raw))
			}
			return raw, nil
		}
	}
	return nil, errors.New("is not base64")
}

// purpose keeps one kind of sealed text from being taken for another.
type purpose string

const (
	purposeQuestion purpose = "question"
	purposeAnswer   purpose = "answer"
	purposeCanary   purpose = "canary"
	purposeDraft    purpose = "draft"
	purposeCall     purpose = "call"
	purposeRunning  purpose = "running"
)

const (
	sealVersion = 1
	keyIDSize   = 4
	nonceSize   = 12
	headerSize  = 1 + keyIDSize + nonceSize
)

// sealer seals with the newest key and opens with any. The form is
// version | key id | nonce | AES-256-GCM; header and id are authenticated, so
// that a sealed text cannot be moved to another pending.
type sealer struct {
	keys []SealKey
	rand io.Reader
}

func (k SealKey) id() [keyIDSize]byte {
	sum := sha256.Sum256(append([]byte("slackbridge key id\x00"), k.raw[:]...))
	return [keyIDSize]byte(sum[:keyIDSize])
}

func (k SealKey) aead(p purpose) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, k.raw[:], nil, "slackbridge "+string(p), 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (s sealer) seal(p purpose, id string, plain []byte) ([]byte, error) {
	if len(s.keys) == 0 {
		return nil, errors.New("sealing: there is no key")
	}
	aead, err := s.keys[0].aead(p)
	if err != nil {
		return nil, fmt.Errorf("sealing the %s of %s: %w", p, id, err)
	}
	out := make([]byte, headerSize, headerSize+len(plain)+aead.Overhead())
	out[0] = sealVersion
	kid := s.keys[0].id()
	copy(out[1:], kid[:])
	if _, err := io.ReadFull(s.rand, out[1+keyIDSize:headerSize]); err != nil {
		return nil, fmt.Errorf("sealing the %s of %s: %w", p, id, err)
	}
	return aead.Seal(out, out[1+keyIDSize:headerSize], plain, associated(out, id)), nil
}

// newest reports whether the newest key made this seal.
func (s sealer) newest(sealed []byte) bool {
	return len(sealed) >= headerSize && s.keys[0].id() == [keyIDSize]byte(sealed[1:1+keyIDSize])
}

func associated(header []byte, id string) []byte {
	return append(append([]byte{}, header[:1+keyIDSize]...), id...)
}

// errNoKey says that none of the keys made this seal.
var errNoKey = errors.New("none of the seal keys opens it")

func (s sealer) open(p purpose, id string, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize || sealed[0] != sealVersion {
		return nil, fmt.Errorf("opening the %s of %s: not a sealed text of this version", p, id)
	}
	for _, k := range s.keys {
		if k.id() != [keyIDSize]byte(sealed[1:1+keyIDSize]) {
			continue
		}
		aead, err := k.aead(p)
		if err != nil {
			return nil, fmt.Errorf("opening the %s of %s: %w", p, id, err)
		}
		plain, err := aead.Open(nil, sealed[1+keyIDSize:headerSize], sealed[headerSize:], associated(sealed, id))
		if err == nil {
			return plain, nil
		}
	}
	return nil, fmt.Errorf("opening the %s of %s: %w", p, id, errNoKey)
}
