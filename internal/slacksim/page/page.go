// Package page is the face of the simulator: a local web page on which one
// plays the people of the workspace. Everything that it shows went through the
// Web API, and everything that it does is what a [slacksim.Person] can do.
//
// It has no login. It answers only to loopback names and only to its own page,
// so that no other site in the same browser can act through it.
package page

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/slackbridge/slackbridge/internal/slacksim"
)

//go:embed static
var static embed.FS

// Options configure the page.
type Options struct {
	Title    string
	Examples []Example
}

// Example is something to type, offered to be clicked.
type Example struct {
	Text  string `json:"text"`
	About string `json:"about"`
}

type server struct {
	sim *slacksim.Sim
	o   Options
}

// Handler serves the page of sim.
func Handler(sim *slacksim.Sim, o Options) http.Handler {
	s := &server{sim: sim, o: o}
	files, err := fs.Sub(static, "static")
	if err != nil { // the folder is part of this package
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /api/state", s.state)
	mux.HandleFunc("GET /api/events", s.events)
	for name, do := range actions {
		mux.HandleFunc("POST /api/"+name, s.act(do))
	}
	return guard(mux)
}

// guard refuses requests under another name than loopback (a rebound DNS name)
// and from the pages of other sites.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, "this page is served on loopback only", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			http.Error(w, "this page takes requests from itself only", http.StatusForbidden)
			return
		}
		if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "write JSON", http.StatusUnsupportedMediaType)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// events tells the page that something has changed; the page then asks for
// what it shows.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no streaming", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		changed := s.sim.Changed()
		if _, err := io.WriteString(w, "data: changed\n\n"); err != nil {
			return
		}
		flusher.Flush()
		select {
		case <-changed:
		case <-time.After(20 * time.Second): // finds out that the page is gone
		case <-r.Context().Done():
			return
		}
	}
}

// request is what the page sends; each action takes what it needs.
type request struct {
	User    string   `json:"user"`
	Channel string   `json:"channel"`
	TS      string   `json:"ts"`
	Label   string   `json:"label"`
	Text    string   `json:"text"`
	Values  []string `json:"values"`
}

type action func(p *slacksim.Person, r *http.Request, in request) (any, error)

var actions = map[string]action{
	"type": func(p *slacksim.Person, r *http.Request, in request) (any, error) {
		if in.TS != "" {
			return nil, p.TypeInThread(in.Channel, in.TS, in.Text)
		}
		return nil, p.Type(r.Context(), in.Channel, in.Text)
	},
	"press": func(p *slacksim.Person, r *http.Request, in request) (any, error) {
		return nil, p.Press(r.Context(), in.Channel, in.TS, in.Label)
	},
	"fill": func(p *slacksim.Person, _ *http.Request, in request) (any, error) {
		return nil, p.Fill(in.Label, in.Values...)
	},
	"clear": func(p *slacksim.Person, _ *http.Request, in request) (any, error) {
		return nil, p.Clear(in.Label)
	},
	"search": func(p *slacksim.Person, r *http.Request, in request) (any, error) {
		return p.Search(r.Context(), in.Label, in.Text)
	},
	"submit": func(p *slacksim.Person, r *http.Request, _ request) (any, error) {
		return nil, p.Submit(r.Context())
	},
	"press-in-modal": func(p *slacksim.Person, r *http.Request, in request) (any, error) {
		return nil, p.PressInModal(r.Context(), in.Label)
	},
	"close": func(p *slacksim.Person, r *http.Request, _ request) (any, error) {
		return nil, p.CloseModal(r.Context())
	},
}

// act decodes a request, plays the person, and answers {"error"} or
// {"result"}.
func (s *server) act(do action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in request
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
			http.Error(w, fmt.Sprintf("not the JSON that was expected: %v", err), http.StatusBadRequest)
			return
		}
		result, err := do(s.sim.Person(in.User), r, in)
		out := map[string]any{}
		if result != nil {
			out["result"] = result
		}
		if err != nil {
			out["error"] = clientText(err)
		}
		writeJSON(w, out)
	}
}

// clientText is what Slack's own app would say.
func clientText(err error) string {
	var c slacksim.ClientError
	if errors.As(err, &c) {
		return string(c)
	}
	return err.Error()
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // the page is gone: nobody to tell
}
