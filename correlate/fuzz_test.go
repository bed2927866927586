package correlate

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/slackbridge/slackbridge/elicit"
)

func FuzzOpen(f *testing.F) {
	k, err := NewKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	s := sealer{keys: []SealKey{k}, rand: rand.Reader}
	sealed, err := s.seal(purposeAnswer, "p1", []byte("hello"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add([]byte{})
	f.Add(sealed[:headerSize])
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, err := s.open(purposeAnswer, "p1", data)
		if err == nil && !bytes.Equal(data, sealed) {
			t.Errorf("something that was never sealed opens as %q", plain)
		}
	})
}

func TestSeal_IsBoundToItsPendingAndPurpose(t *testing.T) {
	k, err := NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := sealer{keys: []SealKey{k}, rand: rand.Reader}
	sealed, err := s.seal(purposeAnswer, "p1", []byte("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.open(purposeAnswer, "p1", sealed); err != nil || string(got) != "hello" {
		t.Errorf("open = %q, %v", got, err)
	}
	if _, err := s.open(purposeAnswer, "p2", sealed); err == nil {
		t.Error("an answer opens as that of another pending")
	}
	if _, err := s.open(purposeQuestion, "p1", sealed); err == nil {
		t.Error("an answer opens as a question")
	}
}

func FuzzDecode(f *testing.F) {
	k, err := NewKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	s := &Store{seal: sealer{keys: []SealKey{k}, rand: rand.Reader}}
	f.Add("1", "pending", "[]", "1", "2", "x")
	f.Fuzz(func(t *testing.T, version, state, fields, created, deadline, question string) {
		p, err := s.decode("p1", map[string]string{
			"v": version, "state": state, "fields": fields, "created": created, "deadline": deadline, "question": question, "decided_at": created,
		})
		if err == nil && p.ID != elicit.PendingID("p1") {
			t.Errorf("decoded %+v", p)
		}
	})
}
