package main

import (
	"context"
	"fmt"
	"time"

	"github.com/slackbridge/slackbridge/audit"
	"github.com/slackbridge/slackbridge/bridge"
)

var _ bridge.Recorder = (*auditSink)(nil)

// auditSink writes bridge's records into the audit file; without a file it
// keeps none.
type auditSink struct{ file *audit.File }

func openAudit(cfg config) (*auditSink, error) {
	if cfg.AuditFile == "" {
		return &auditSink{}, nil
	}
	f, err := audit.OpenFile(cfg.AuditFile)
	if err != nil {
		return nil, fmt.Errorf("SLACKBRIDGE_AUDIT_FILE: %w", err)
	}
	return &auditSink{file: f}, nil
}

// Record implements bridge.Recorder.
func (s *auditSink) Record(_ context.Context, r bridge.Record) error {
	if s.file == nil {
		return nil
	}
	p := r.Pending
	rec := audit.Record{
		Time: time.Now().UTC(), Kind: audit.Kind(r.Kind), ID: p.ID, Call: p.Call, Server: p.Server, Tool: p.Tool,
		Mode: p.Mode, Era: p.Era, Requester: p.Origin.RequesterUser(), Action: r.Action, Reason: r.Reason,
		RequestedAt: r.RequestedAt.UTC(), RespondedAt: r.RespondedAt.UTC(), Fields: p.Fields, Policy: r.Policy,
		Channel: p.Origin.Channel, Message: p.Card.TS,
	}
	if !r.Responder.IsZero() {
		rec.Responder = &r.Responder
	}
	return s.file.Append(rec)
}

// Close closes the file.
func (s *auditSink) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
