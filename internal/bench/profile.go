package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// profile records the CPU profile of a bot until the function that it returns
// is called, if profiles are wanted at all.
func (b *bench) profile(ctx context.Context, bot *bot, name string) func() {
	if bot.profile == "" {
		return func() {}
	}
	began := make(chan error, 1)
	go func() { began <- b.save(ctx, bot, "start", "") }()
	if err := <-began; err != nil {
		b.say("no profile of %s: %v", name, err)
		return func() {}
	}
	return func() {
		if err := b.save(ctx, bot, "stop", name+".cpu.pprof"); err != nil {
			b.say("no profile of %s: %v", name, err)
		}
	}
}

// heap saves the heap profile of a bot.
func (b *bench) heap(ctx context.Context, bot *bot, name string) {
	if bot.profile == "" {
		return
	}
	for _, kind := range []struct{ what, file string }{
		{"heap?debug=1", ".heap.txt"}, {"heap", ".heap.pprof"}, {"goroutine", ".goroutine.pprof"},
	} {
		if err := b.save(ctx, bot, kind.what, name+kind.file); err != nil {
			b.say("no %s of %s: %v", kind.what, name, err)
		}
	}
}

func (b *bench) save(ctx context.Context, bot *bot, what, name string) error {
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	data, err := fetch(ctx, client, http.MethodGet, fmt.Sprintf("http://%s/%s", bot.profile, what), "")
	if err != nil || name == "" {
		return err
	}
	return errors.Join(os.MkdirAll(b.o.profiles, 0o755), os.WriteFile(filepath.Join(b.o.profiles, name), data, 0o644))
}
