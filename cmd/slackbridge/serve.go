package main

import (
	"context"
	"io"
	"log/slog"
)

const serveAbout = `Runs the bot: takes commands and answers from Slack, and calls tools on the
servers of the servers file. Stops in order on SIGTERM or SIGINT: open questions
may still be answered for SLACKBRIDGE_DRAIN, then their servers are told cancel.`

const serveCommandName = "serve"

func serveCommand(ctx context.Context, args []string, s stdio) error {
	if err := flags(s, "serve", serveAbout, true, args, nil); err != nil {
		return err
	}
	cfg, err := loadConfig()
	if err != nil {
		// The files are read as well: one start tells all that is wrong.
		_, more := readInputs(cfg)
		return faults(err, more)
	}
	log := newLogger(s.err, cfg)
	if cfg.RedisURL == "" {
		log.Warn("REDIS_URL is not set: an embedded Redis in memory is used; open questions do not survive a restart, and only one replica may run")
	}
	if cfg.AuditFile == "" {
		log.Warn("SLACKBRIDGE_AUDIT_FILE is not set: no audit record is written")
	}
	a, err := newApp(ctx, cfg, log)
	if err != nil {
		return faults(err)
	}
	return a.run(ctx)
}

func newLogger(w io.Writer, cfg config) *slog.Logger {
	level, err := cfg.level()
	if err != nil {
		level = slog.LevelInfo // loadConfig has refused it before
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
