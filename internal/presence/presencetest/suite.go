package presencetest

import "testing"

// test is one test of the suite.
type test struct {
	name string
	run  func(*trial)
	// adjust changes the options from the defaults; may be nil.
	adjust func(*Options)
}

// Run is the conformance suite.
func Run(t *testing.T, newStore Make) {
	for topic, tests := range map[string][]test{
		"sessions":  sessions(),
		"adoption":  adoption(),
		"endings":   endings(),
		"activity":  activity(),
		"intervals": intervals(),
		"sweeps":    sweeps(),
		"grace":     grace(),
		"pages":     pages(),
		"paging":    paging(),
		"walks":     walks(),
		"levels":    levels(),
		"logs":      logs(),
		"repeats":   repeats(),
		"history":   history(),
	} {
		t.Run(topic, func(t *testing.T) {
			for _, c := range tests {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					options := defaults()
					if c.adjust != nil {
						c.adjust(&options)
					}
					tr := newTrial(t, newStore(t, options), options)
					c.run(tr)
					tr.agree()
				})
			}
		})
	}
}
