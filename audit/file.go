package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// maxLine bounds a line that is read back. A record without values is far
// smaller.
const maxLine = 1 << 20

// File appends records to a JSON lines file. It is safe for concurrent use by
// one process; two processes need a file each.
type File struct {
	mu   sync.Mutex
	f    *os.File
	seq  uint64
	prev string
	bad  error // a write that may have left half a line: nothing follows it
}

// OpenFile opens or creates the file and goes on with its chain. The file is
// readable by its owner only: it says who decided what.
func OpenFile(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the audit file: %w", err)
	}
	a := &File{f: f}
	if err := a.readTail(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the audit file %s: %w", path, err), f.Close())
	}
	return a, nil
}

// readTail finds where the chain stands.
func (a *File) readTail() error {
	sc := bufio.NewScanner(a.f)
	sc.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; sc.Scan(); n++ {
		var r Record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return fmt.Errorf("line %d is not an audit record (%w); move the file away to begin a new one", n, err)
		}
		a.seq, a.prev = r.Seq, r.Hash
	}
	if err := sc.Err(); err != nil {
		return err
	}
	size, err := a.f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := a.f.ReadAt(last, size-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = a.f.WriteString("\n")
	}
	return err
}

// Append writes r as the next line and returns once it is on disk. Seq, Prev
// and Hash of r are set here.
func (a *File) Append(r Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.bad != nil {
		return fmt.Errorf("the audit file took no record since: %w", a.bad)
	}
	next, line, err := r.chained(a.seq+1, a.prev)
	if err != nil {
		return err
	}
	if n, err := a.f.Write(line); err != nil {
		err = fmt.Errorf("writing audit record %d: %w", next.Seq, err)
		if n > 0 { // undo half a line, so that a full disk that empties again does no harm
			if terr := a.undo(n); terr != nil {
				a.bad = errors.Join(err, terr)
			}
		}
		return err
	}
	if err := a.f.Sync(); err != nil {
		a.bad = fmt.Errorf("writing audit record %d to disk: %w", next.Seq, err)
		return a.bad
	}
	a.seq, a.prev = next.Seq, next.Hash
	return nil
}

func (a *File) undo(n int) error {
	size, err := a.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return a.f.Truncate(size - int64(n))
}

// Close closes the file.
func (a *File) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.f.Close()
}
