package audit_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slackbridge/slackbridge/audit"
	"github.com/slackbridge/slackbridge/elicit"
)

func record(id string) audit.Record {
	at := time.Date(2026, 12, 1, 3, 4, 5, 0, time.UTC)
	return audit.Record{
		Time: at, Kind: audit.KindDecision, ID: elicit.PendingID(id), Call: "c1", Server: "deploy", Tool: "deploy_service",
		Mode: elicit.ModeForm, Era: elicit.EraBlocking, Requester: elicit.User{Team: "T", ID: "U_ANN"},
		Responder: &elicit.User{Team: "T", ID: "U_ANN"}, Action: elicit.Accept, Reason: elicit.ReasonSubmitted,
		RequestedAt: at, RespondedAt: at.Add(time.Second), Fields: []string{"cluster", "window"}, Channel: "C1", Message: "1.2",
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func checkChain(t *testing.T, path string, want int) {
	t.Helper()
	prev := ""
	n := 0
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		n++
		var r audit.Record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if r.Prev != prev || r.Seq != uint64(n) {
			t.Errorf("line %d: seq %d, prev %q; want %d, %q", n, r.Seq, r.Prev, n, prev)
		}
		bare := bytes.Replace(sc.Bytes(), []byte(`"hash":"`+r.Hash+`"`), []byte(`"hash":""`), 1)
		if sum := sha256.Sum256(bare); hex.EncodeToString(sum[:]) != r.Hash {
			t.Errorf("line %d: its hash is not that of its content", n)
		}
		prev = r.Hash
	}
	if n != want {
		t.Errorf("%d lines, want %d", n, want)
	}
}

func TestFile_ChainGoesOnAcrossReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for i, ids := range [][]string{{"a", "b"}, {"c"}} {
		f, err := audit.OpenFile(path)
		if err != nil {
			t.Fatalf("open %d: %v", i, err)
		}
		for _, id := range ids {
			if err := f.Append(record(id)); err != nil {
				t.Fatalf("append %s: %v", id, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	checkChain(t, path, 3)
}

func TestFile_ConcurrentRecordsFormOneChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f, err := audit.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := f.Append(record("x")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	checkChain(t, path, 20)
}

func TestFile_IsReadableByItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	f, err := audit.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
}

func TestOpenFile_RefusesAForeignFileAndLeavesItAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("dear diary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.OpenFile(path); err == nil || !strings.Contains(err.Error(), "line 1") || !strings.Contains(err.Error(), path) {
		t.Errorf("OpenFile: %v, want an error that names the file and line 1", err)
	}
	if got := lines(t, path); len(got) != 1 || got[0] != "dear diary" {
		t.Errorf("the file was changed: %q", got)
	}
}

func TestFile_AppendAfterCloseFails(t *testing.T) {
	f, err := audit.OpenFile(filepath.Join(t.TempDir(), "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Append(record("a")); err == nil {
		t.Error("Append on a closed file reports success")
	}
}
