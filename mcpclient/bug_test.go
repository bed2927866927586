package mcpclient

import "testing"

// What fails today. Each test says what is right; take out its Skip with the
// mend.

func TestBug_CallAfterAServerBecameDurableFails(t *testing.T) {
	t.Skip("approach pins 2025-11-25 for a server that was blocking, so the first call after it came back as 2026-07-28 fails; connect should probe once when the pinned handshake is refused")
	t.Run("stdio", func(t *testing.T) { afterRestart(t, changingStdio(t), blocking, modern, 1) })
	t.Run("http", func(t *testing.T) { afterRestart(t, changingHTTP(t), blocking, modern, 1) })
}

func TestBug_HTTPServerThatBecameBlockingIsNeverSpokenToSo(t *testing.T) {
	t.Skip("runOnce takes an RPCError for an orderly end and reusable ignores a doubtful status in 2026-07-28, so a user who keeps calling is refused on the old connection for ever (until it is idle for IdleTime)")
	afterRestart(t, changingHTTP(t), modern, blocking, 3)
}
