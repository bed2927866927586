package policy_test

import (
	"strings"
	"testing"

	"github.com/slackbridge/slackbridge/policy"
)

func TestMayOpen(t *testing.T) {
	const file = "urls: {allow: ['*.example.com', localhost, 10.0.0.7], deny: [bad.example.com]}\n"
	for _, tt := range []struct {
		file, host string
		secure     bool
		want       bool
		why        string
	}{
		{"", "login.example.com", true, true, ""},
		{"", "login.example.com", false, false, "allow_http"},
		{"urls: {allow_http: true}\n", "login.example.com", false, true, ""},
		{"", "localhost", true, false, "private"},
		{"", "127.0.0.1", true, false, "private"},
		{"", "::1", true, false, "private"},
		{"", "10.1.2.3", true, false, "private"},
		{"", "169.254.169.254", true, false, "private"},
		{"", "::ffff:192.168.1.1", true, false, "private"},
		{"", "intranet", true, false, "private"},
		{"", "db.internal", true, false, "private"},
		{"", "203.0.113.7", true, true, ""},
		{file, "a.b.example.com", true, true, ""},
		{file, "A.Example.COM.", true, true, ""},
		{file, "bad.example.com", true, false, "deny"},
		{file, "example.org", true, false, "allow does not name"},
		{file, "localhost", true, true, ""},
		{file, "10.0.0.7", true, true, ""},
		{file, "10.0.0.8", true, false, "allow does not name"},
	} {
		v := parse(t, tt.file).MayOpen(tt.host, tt.secure)
		if v.Allowed != tt.want || !strings.Contains(v.Why, tt.why) {
			t.Errorf("%q, %s (secure %v): %+v, want %v because of %q", tt.file, tt.host, tt.secure, v, tt.want, tt.why)
		}
	}
	if v := policy.Default().MayOpen("example.com", true); !v.Allowed {
		t.Errorf("without a file: %+v", v)
	}
}
