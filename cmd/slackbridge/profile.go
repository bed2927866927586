//go:build profile

package main

import (
	"bytes"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
)

// A binary that is built with the tag `profile` serves profiles of itself on
// the address in SLACKBRIDGE_PROFILE, for internal/bench. Releases have
// nothing of it.
func init() {
	address := os.Getenv("SLACKBRIDGE_PROFILE")
	if address == "" {
		return
	}
	var cpu bytes.Buffer
	mux := http.NewServeMux()
	mux.HandleFunc("GET /start", func(w http.ResponseWriter, _ *http.Request) {
		cpu.Reset()
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	mux.HandleFunc("GET /stop", func(w http.ResponseWriter, _ *http.Request) {
		pprof.StopCPUProfile()
		_, _ = w.Write(cpu.Bytes()) // whoever asked may be gone
	})
	for _, kind := range []string{"heap", "goroutine"} {
		mux.HandleFunc("GET /"+kind, func(w http.ResponseWriter, r *http.Request) {
			runtime.GC()
			readable, _ := strconv.Atoi(r.FormValue("debug")) // 0 is the format of pprof
			_ = pprof.Lookup(kind).WriteTo(w, readable)
		})
	}
	go func() { _ = http.ListenAndServe(address, mux) }() //nolint:gosec // not in releases
}
