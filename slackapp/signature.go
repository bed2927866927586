package slackapp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// signatureWindow is how old, or how far ahead, a signed request may be.
const signatureWindow = 5 * time.Minute

// Ways in which a signature can be wrong.
var (
	ErrNoSignature  = errors.New("the request is not signed")
	ErrBadTimestamp = errors.New("the timestamp is not a number of seconds")
	ErrStale        = errors.New("the timestamp is more than five minutes off")
	ErrBadSignature = errors.New("the signature is not that of this body")
)

// verify checks Slack's signature v0 over the raw body.
func verify(secret Secret, h http.Header, body []byte, now time.Time) error {
	signature, stamp := h.Get("X-Slack-Signature"), h.Get("X-Slack-Request-Timestamp")
	if signature == "" || stamp == "" {
		return ErrNoSignature
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return ErrBadTimestamp
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > signatureWindow || off < -signatureWindow {
		return ErrStale
	}
	given, err := hex.DecodeString(strings.TrimPrefix(signature, "v0="))
	if err != nil || !strings.HasPrefix(signature, "v0=") || !hmac.Equal(given, mac(secret, stamp, body)) {
		return ErrBadSignature
	}
	return nil
}

func mac(secret Secret, stamp string, body []byte) []byte {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte("v0:" + stamp + ":"))
	m.Write(body)
	return m.Sum(nil)
}
