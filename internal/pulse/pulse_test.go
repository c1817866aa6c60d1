package pulse_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/pulse"
)

func TestABeatReachesAllListeners(t *testing.T) {
	var p pulse.Pulse
	p.Beat() // with nobody listening
	a, stopA := p.Listen()
	b, stopB := p.Listen()
	defer stopB()

	p.Beat()
	<-a
	<-b

	stopA()
	stopA()
	p.Beat()
	<-b
	require.Empty(t, a, "it no longer listens")
}

func TestABusyListenerGetsOneBeat(t *testing.T) {
	var p pulse.Pulse
	beats, stop := p.Listen()
	defer stop()
	for range 10 {
		p.Beat()
	}
	<-beats
	require.Empty(t, beats)
}

func TestAListenerIsNotToldOfEarlierBeats(t *testing.T) {
	var p pulse.Pulse
	p.Beat()
	beats, stop := p.Listen()
	defer stop()
	require.Empty(t, beats)
}

func TestTheContextCarriesThePulse(t *testing.T) {
	require.Nil(t, pulse.FromContext(t.Context()))
	var p pulse.Pulse
	require.Same(t, &p, pulse.FromContext(pulse.With(t.Context(), &p)))
}

func TestConcurrentUse(t *testing.T) {
	var p pulse.Pulse
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				beats, stop := p.Listen()
				p.Beat()
				<-beats
				stop()
			}
		})
	}
	wg.Wait()
}
