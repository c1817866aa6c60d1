package main

import (
	"context"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
	"rollcall/internal/pgtest"
	"rollcall/internal/users/sqlsource"
)

// A database that was down at the start is set up when it comes back.
func TestADatabaseThatComesLater(t *testing.T) {
	database, err := url.Parse(pgtest.Database(t))
	require.NoError(t, err)
	server := database.Host
	database.Host = freeAddress(t)
	s := start(t, func(cfg *config.Config) { cfg.Users.DatabaseURL = database.String() })

	name := func() string {
		var in signedIn
		a := post(t, s.url, "dev:alice", signIn)
		if a.code() == "" {
			a.into(t, &in)
		}
		return in.Heartbeat.User.Name
	}
	require.Empty(t, name())

	forward(t, database.Host, server)
	require.Eventually(t, func() bool { return seedOne(t, database.String()) == nil }, patience, 100*time.Millisecond)
	require.Eventually(t, func() bool { return name() != "" }, patience, 100*time.Millisecond)
}

// seedOne adds the demo user alice, once the table is there.
func seedOne(t *testing.T, database string) error {
	t.Helper()
	source, err := sqlsource.Open(sqlsource.Config{URL: database})
	require.NoError(t, err)
	defer func() { require.NoError(t, source.Close()) }()
	_, err = source.Seed(t.Context(), 1, nil)
	return err
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// forward passes connections to address on to another, until the test ends.
func forward(t *testing.T, address, to string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.Cleanup(func() {
		end()
		_ = l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := new(net.Dialer).DialContext(ctx, "tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
				go func() {
					_, _ = io.Copy(way[0], way[1])
					_ = way[0].Close()
				}()
			}
		}
	}()
}
