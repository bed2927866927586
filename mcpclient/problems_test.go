package mcpclient

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestProblems_TLSIsNamedAndNoCallIsSaidToHaveRun(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(untrusted.Close)
	for name, tt := range map[string]struct{ url, want string }{
		"http behind https": {strings.Replace(plain.URL, "http:", "https:", 1), "is it http rather than https?"},
		"own certificate":   {untrusted.URL, "certificate is not trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, remote(tt.url, ""), nil)
			err := w.call("s", "run", "").err
			wantMention(t, err, tt.want)
			if strings.Contains(err.Error(), "while the call ran") {
				t.Errorf("%v: no call ran", err)
			}
		})
	}
}

func TestProblems_RefusedTokenIsNotTakenForNone(t *testing.T) {
	status := http.StatusUnauthorized
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="files:write"`)
		w.WriteHeader(status)
	}))
	t.Cleanup(srv.Close)
	servers := `{"mcpServers":{"s":{"type":"http","url":"` + srv.URL + `","headers":{"Authorization":"Bearer wrong"}}}}`
	for code, want := range map[int]string{http.StatusUnauthorized: "is the token right", http.StatusForbidden: "scope files:write"} {
		status = code
		err := newWorld(t, servers, nil).call("s", "run", "").err
		wantMention(t, err, "the Authorization header that is set", want)
		if strings.Contains(err.Error(), "wrong") {
			t.Errorf("%v: the token is in it", err)
		}
	}
}
