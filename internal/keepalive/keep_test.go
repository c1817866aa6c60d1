package keepalive

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/feed"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

func TestPongsKeepTheSessionAlive(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		all, err := w.hub.Subscribe(t.Context(), feed.Options{})
		require.NoError(t, err)
		defer all.Close()
		p := new(pulse.Pulse)
		events, started := w.keep(ada("phone"), p)
		require.Equal(t, presence.Millis(time.Now().Add(presence.DefaultTTL).UnixMilli()), started.ExpiresAt)

		w.pongs(p, 4*time.Minute)
		require.Equal(t, presence.Online, w.status())
		w.pongs(p, 4*time.Minute)
		require.Equal(t, presence.Away, w.status(), "a pong is no activity")
		requireQuiet(t, events)
		kinds := w.beats.kinds()
		require.Equal(t, presence.Active, kinds[0])
		for _, k := range kinds[1:] {
			require.Equal(t, presence.Pong, k)
		}

		w.elapse(presence.DefaultTTL + time.Second)
		require.Equal(t, presence.Offline, w.status(), "an open socket alone is not presence")
		var types []presence.EventType
		for {
			d, err := all.Poll()
			require.NoError(t, err)
			if d == nil {
				break
			}
			for _, e := range d.Events {
				types = append(types, e.Type)
			}
		}
		require.Equal(t, []presence.EventType{presence.EventOnline, presence.EventUpdated, presence.EventOffline}, types)
	})
}

func TestABackgroundSessionBeatsInTheBackground(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		h, p := ada("phone"), new(pulse.Pulse)
		h.Kind = presence.Background
		events, _ := w.keep(h, p)
		w.elapse(time.Minute)
		p.Beat()
		w.elapse(2 * time.Minute)
		require.Equal(t, presence.Away, w.status(), "online, without ever having been active")
		require.Equal(t, []presence.BeatKind{presence.Background, presence.Background}, w.beats.kinds())
		requireQuiet(t, events)
	})
}

func TestAFreshLeaseNeedsNoBeat(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := new(pulse.Pulse)
		w.keep(ada("phone"), p)
		for range 60 {
			w.elapse(time.Second)
			p.Beat()
		}
		synctest.Wait()
		require.Len(t, w.beats.kinds(), 1+5, "one every fifth of the lease")
	})
}

func TestATakeoverIsTheLastEvent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		events, started := w.keep(ada("phone"), new(pulse.Pulse))
		w.elapse(time.Second)
		w.signIn("laptop")
		w.requireLast(events, started, Replaced)
		require.Equal(t, presence.Online, w.status())
	})
}

func TestTwoKeptSessionsOfOneUser(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p1, p2 := new(pulse.Pulse), new(pulse.Pulse)
		first, started := w.keep(ada("phone"), p1)
		second, _ := w.keep(ada("laptop"), p2)
		w.elapse(time.Second)
		require.Equal(t, Event{Type: Replaced, Session: started.Session}, <-first)
		w.pongs(p2, 5*time.Minute)
		requireQuiet(t, second)
	})
}

// Case 8 (docs/cases.md): a client that reconnects is never ended by its own stale connection.
func TestAReconnectingClientIsNotReplacedByItself(t *testing.T) {
	t.Run("with its session", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			p1, p2 := new(pulse.Pulse), new(pulse.Pulse)
			stale, started := w.keep(ada("phone"), p1)
			w.elapse(time.Second)
			h := ada("phone")
			h.Session = &started.Session
			fresh, again := w.keep(h, p2)
			require.Equal(t, started.Session, again.Session)
			w.pongs(p1, time.Minute)
			w.pongs(p2, time.Minute)
			requireQuiet(t, fresh)
			requireQuiet(t, stale)
		})
	})
	t.Run("with a new sign-in", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			p1, p2 := new(pulse.Pulse), new(pulse.Pulse)
			stale, started := w.keep(ada("phone"), p1)
			w.elapse(time.Second)
			fresh, _ := w.keep(ada("phone"), p2)
			w.pongs(p1, 20*time.Second)
			require.Equal(t, Event{Type: Replaced, Session: started.Session}, <-stale, "told by its next pong: a renewal is no event")
			w.pongs(p2, time.Minute)
			requireQuiet(t, fresh)
			require.Equal(t, presence.Online, w.status())
		})
	})
}

func TestTheEndIsTheLastEvent(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *world, Event){
		"signed out": func(t *testing.T, w *world, started Event) {
			_, err := w.service.GoOffline(t.Context(), "ada", "phone", started.Session)
			require.NoError(t, err)
		},
		"disconnected": func(t *testing.T, w *world, _ Event) {
			_, err := w.service.Disconnect(t.Context(), "ada")
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				events, started := w.keep(ada("phone"), new(pulse.Pulse))
				w.elapse(time.Second)
				end(t, w, started)
				w.requireLast(events, started, Ended)
			})
		})
	}
}

func TestABeatTellsWhatTheFeedCouldNot(t *testing.T) {
	for err, end := range map[error]EventType{
		presence.ErrSessionReplaced: Replaced,
		presence.ErrSessionEnded:    Ended,
	} {
		t.Run(string(end), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				p := new(pulse.Pulse)
				events, started := w.keep(ada("phone"), p)
				w.beats.fail(err)
				w.elapse(20 * time.Second)
				p.Beat()
				w.requireLast(events, started, end)
			})
		})
	}
}

func TestThePongAfterAnExpiryResumes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := new(pulse.Pulse)
		events, _ := w.keep(ada("phone"), p)
		w.elapse(presence.DefaultTTL + time.Second)
		require.Equal(t, presence.Offline, w.status())
		p.Beat()
		w.elapse(time.Second)
		require.Equal(t, presence.Online, w.status())
		w.pongs(p, time.Minute)
		requireQuiet(t, events)
	})
}

func TestAnUnreachableStoreEndsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		p := new(pulse.Pulse)
		events, _ := w.keep(ada("phone"), p)
		w.beats.fail(&presence.UnavailableError{Cause: errors.New("refused")})
		w.pongs(p, 40*time.Second)
		requireQuiet(t, events)
		require.Len(t, w.beats.kinds(), 1+2, "each pong tries")
		w.beats.fail(nil)
		w.pongs(p, 2*time.Minute)
		require.Equal(t, presence.Online, w.status())
		requireQuiet(t, events)
	})
}

// In an outage thousands of sessions fail at the same time, which is no news of any of them.
func TestWhatIsLoggedOfAFailingBeat(t *testing.T) {
	for level, err := range map[slog.Level]error{
		slog.LevelDebug: &presence.UnavailableError{Cause: errors.New("refused")},
		slog.LevelWarn:  errors.New("a defect"),
	} {
		t.Run(level.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				p := new(pulse.Pulse)
				w.keep(ada("phone"), p)
				w.beats.fail(err)
				w.pongs(p, time.Minute)
				require.Equal(t, 1, w.logged.Count(level), w.logged)
				require.Contains(t, w.logged.String(), "user=ada")
			})
		})
	}
}

func TestAResetIsCheckedByABeatAtOnce(t *testing.T) {
	t.Run("still live", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			events, _ := w.keep(ada("phone"), new(pulse.Pulse))
			w.elapse(time.Second)
			w.store.Lose()
			require.Equal(t, presence.Offline, w.status())
			w.elapse(time.Second)
			require.NotEqual(t, presence.Offline, w.status(), "adopted, without a pong; its last activity is lost")
			requireQuiet(t, events)
		})
	})
	t.Run("replaced meanwhile", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			events, started := w.keep(ada("phone"), new(pulse.Pulse))
			w.elapse(time.Second)
			w.store.Lose()
			w.signIn("laptop") // among what the hub missed
			w.requireLast(events, started, Replaced)
		})
	})
}

func TestTheContextLeavesTheSessionToItsLease(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		events, err := w.keeper.Keep(ctx, ada("phone"), new(pulse.Pulse))
		require.NoError(t, err)
		<-events
		cancel()
		_, more := <-events
		require.False(t, more)
		w.elapse(presence.DefaultTTL - time.Second)
		require.Equal(t, presence.Online, w.status())
		w.elapse(2 * time.Second)
		require.Equal(t, presence.Offline, w.status())
	})
}

func TestAHubThatStopsClosesTheChannel(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		events, _ := w.keep(ada("phone"), new(pulse.Pulse))
		w.hub.Stop()
		_, more := <-events
		require.False(t, more)
		_, err := w.keeper.Keep(t.Context(), ada("phone"), new(pulse.Pulse))
		require.ErrorIs(t, err, feed.ErrStopped)
	})
}

func TestKeepRefuses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var invalid *presence.InvalidError
		_, err := w.keeper.Keep(t.Context(), ada("phone"), nil)
		require.ErrorAs(t, err, &invalid)
		require.Empty(t, w.beats.kinds(), "bad input changes nothing")

		forged := "forged"
		h := ada("phone")
		h.Session = &forged
		_, err = w.keeper.Keep(t.Context(), h, new(pulse.Pulse))
		require.ErrorAs(t, err, &invalid)

		old := w.signIn("phone")
		w.elapse(time.Second)
		w.signIn("laptop")
		h.Session = &old.Session
		_, err = w.keeper.Keep(t.Context(), h, new(pulse.Pulse))
		require.Equal(t, presence.ErrSessionReplaced, err, "as it is")
		synctest.Wait()
		require.Zero(t, w.hub.Subscribers())
	})
}
