package ws

import (
	"context"
	"math/rand/v2"
	"time"
)

// startPings pings the client at intervals, until ctx ends or the timer is stopped.
func (s *socket) startPings(ctx context.Context) *time.Timer {
	var timer *time.Timer
	set := make(chan struct{})
	timer = time.AfterFunc(s.untilPing(), func() {
		<-set
		s.out.track(func() {
			if s.ping(ctx) {
				timer.Reset(s.untilPing())
			}
		})
	})
	close(set)
	return timer
}

// ping pings the client and waits for its answer, which is the connection's pulse. A client that does not
// answer is closed.
func (s *socket) ping(ctx context.Context) (answered bool) {
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.PongTimeout)
	defer cancel()
	if err := s.conn.Ping(wait); err != nil {
		if wait.Err() != nil {
			s.end(errNoPong)
		} else {
			s.end(errLost)
		}
		return false
	}
	s.pulse.Beat()
	return true
}

// untilPing is the time until the next ping, varied so that sockets opened together are not pinged together.
func (s *socket) untilPing() time.Duration {
	return time.Duration(float64(s.cfg.PingInterval) * (0.9 + 0.2*rand.Float64()))
}
