package presence

import "time"

// AnsweringEarlyAt is AnsweringEarly by a clock of a test's own.
func (s *Service) AnsweringEarlyAt(allowed int, now func() time.Time) *Service {
	s.early = newEarly(s.rules, allowed, now)
	return s
}

// EarlyKept is how many users early beats are remembered of.
func (s *Service) EarlyKept() int {
	kept := 0
	for i := range s.early.parts {
		kept += len(s.early.parts[i].last) + len(s.early.parts[i].before)
	}
	return kept
}

// MostEarly is how many they may be in each of two generations.
const MostEarly = mostEarly
