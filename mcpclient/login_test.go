package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

func TestLogin_WhatAServerAsksForIsReported(t *testing.T) {
	for name, tt := range map[string]struct {
		header string
		want   []string
	}{
		"OAuth":   {`Bearer error="invalid_token", scope="files:read", resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`, []string{"asks for a login", "Bearer", "scope files:read", "resource_metadata https://mcp.example.com/", "headers"}},
		"Basic":   {`Basic realm="x"`, []string{"asks for a login", "Basic"}},
		"nothing": {"", []string{"refuses us", "headers"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRawHTTP(t, false, nil)
			s.post = func(x *exchangeHTTP) bool {
				if tt.header != "" {
					x.w.Header().Set("WWW-Authenticate", tt.header)
				}
				x.w.WriteHeader(http.StatusUnauthorized)
				return true
			}
			w := newWorld(t, remote(s.srv.URL, ""), nil)
			out := w.call("s", "run", "")
			if out.err == nil {
				t.Fatal("the call worked")
			}
			for _, want := range tt.want {
				if !strings.Contains(out.err.Error(), want) {
					t.Errorf("%q does not say %q", out.err, want)
				}
			}
			if err := w.host.Servers()[0].Err; err == nil || !strings.Contains(err.Error(), tt.want[0]) {
				t.Errorf("Servers says %v", err)
			}
		})
	}
}

// Authorization middleware answers with the JSON of OAuth, in which error is a
// string, or with an error of JSON-RPC. Neither may hide what is asked for.
func TestLogin_ABodyDoesNotHideWhatAServerAsksFor(t *testing.T) {
	const wanted = `Bearer error="invalid_token", scope="files:read"`
	for name, tt := range map[string]struct {
		status       int
		header, body string
		want         string
	}{
		"OAuth":              {http.StatusUnauthorized, wanted, `{"error":"invalid_token","error_description":"Missing Authorization header"}`, "scope files:read"},
		"OAuth, no header":   {http.StatusUnauthorized, "", `{"error":"invalid_token"}`, "refuses us"},
		"JSON-RPC":           {http.StatusUnauthorized, wanted, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}`, "scope files:read"},
		"JSON-RPC, step up":  {http.StatusForbidden, wanted, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Forbidden"}}`, "scope files:read"},
		"JSON-RPC, no login": {http.StatusUnauthorized, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such key"}}`, "no such key"},
		"another framework":  {http.StatusServiceUnavailable, "", `{"error":"down"}`, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRawHTTP(t, false, nil)
			s.post = func(x *exchangeHTTP) bool {
				if tt.header != "" {
					x.w.Header().Set("WWW-Authenticate", tt.header)
				}
				x.w.Header().Set("Content-Type", "application/json")
				x.w.WriteHeader(tt.status)
				_, _ = x.w.Write([]byte(tt.body))
				return true
			}
			w := newWorld(t, remote(s.srv.URL, ""), nil)
			if out := w.call("s", "run", ""); out.err == nil || !strings.Contains(out.err.Error(), tt.want) {
				t.Errorf("the call ended with %v, want %q in it", out.err, tt.want)
			}
		})
	}
}

func TestLogin_EachUserHasTheirOwn(t *testing.T) {
	s := newRawHTTP(t, true, func(x *exchangeHTTP) { x.json(encodeResult(x.m.id, []byte(finished))) })
	w := newWorld(t, remote(s.srv.URL, ""), func(o *Options) {
		o.Authorize = func(_ context.Context, server string, user elicit.User) (string, error) {
			if user == bob {
				return "", errors.New("nobody has logged in")
			}
			return "Bearer of " + user.ID + " for " + server, nil
		}
	})
	w.call("s", "run", "").texts(t)
	for _, h := range s.all(method("tools/call")) {
		if got := h.header.Get("Authorization"); got != "Bearer of "+ann.ID+" for s" {
			t.Errorf("Authorization %q", got)
		}
	}
	if _, err := w.host.Call(t.Context(), callFor(bob, "s", "run", "")); err == nil || !strings.Contains(err.Error(), "logged in") {
		t.Errorf("Bob's call: %v", err)
	}
}
