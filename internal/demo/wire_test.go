package demo_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/slackbridge/slackbridge/internal/demo"
)

// buffer is a wire that may be written and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// odd is a message that no decoder would write again as it is.
const odd = `{"jsonrpc":"2.0", "id":"a","method":"ping","params":{"z":1.50,"a":9007199254740993,"é":"\u00e9"}}`

func TestServe_KeepsWhatItReceivesByteForByte(t *testing.T) {
	wire := &buffer{}
	// The last line has no end, and the middle one holds nothing.
	in := strings.NewReader(odd + "\r\n\n" + odd)
	if err := demo.Serve(t.Context(), demo.ServerOptions{In: in, Out: io.Discard, Wire: wire}); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	if got, want := wire.String(), odd+"\n"+odd+"\n"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestHandler_KeepsEachBodyAsOneLine(t *testing.T) {
	wire := &buffer{}
	url := serve(t, demo.ServerOptions{Wire: wire})
	spread := strings.Replace(odd, ", ", ",\n", 1)
	for _, body := range []string{odd, spread} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := wire.String(), odd+"\n"+odd+"\n"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestServe_EndsWhenTheWireCannotBeKept(t *testing.T) {
	err := demo.Serve(t.Context(), demo.ServerOptions{In: strings.NewReader(odd + "\n"), Out: io.Discard, Wire: full{}})
	if !errors.Is(err, errFull) {
		t.Errorf("Serve: %v, want %v", err, errFull)
	}
}
