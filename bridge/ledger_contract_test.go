package bridge_test

import (
	"testing"

	"github.com/slackbridge/slackbridge/bridge"
	"github.com/slackbridge/slackbridge/correlate"
	"github.com/slackbridge/slackbridge/correlate/correlatetest"
)

var _ bridge.Ledger = (*correlate.Store)(nil)

func TestFakeLedger_KeepsTheContractOfTheRealOne(t *testing.T) {
	correlatetest.Run(t, func(t *testing.T) correlatetest.Ledger {
		l := newFakeLedger()
		t.Cleanup(l.stall)
		return l
	})
}
