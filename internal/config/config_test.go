package config

import (
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/rate"
)

func parse(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	var cfg Config
	parser, err := kong.New(&cfg)
	require.NoError(t, err)
	_, err = parser.Parse(args)
	return cfg, err
}

func TestDefaults(t *testing.T) {
	t.Setenv("ROLLCALL_TTL", "7s")
	cfg, err := Default()
	require.NoError(t, err)
	require.NoError(t, cfg.Check())
	require.Equal(t, presence.DefaultRules(), cfg.Store.Rules())
	require.Equal(t, Config{
		HTTP: HTTP{Addr: "127.0.0.1:8080", ShareFor: 100 * time.Millisecond},
		Store: Store{
			Redis: Redis{KeyPrefix: "rollcall"}, Shards: 16, LevelIndex: true, EventLog: 10000,
			TTL: time.Minute, BackgroundTTL: 150 * time.Second, AwayAfter: 5 * time.Minute,
		},
		Users: Users{DatabaseURL: "sqlite:data/rollcall.db"},
		Auth:  Auth{Mode: auth.Dev, IDClaim: "sub", RoleClaim: "role"},
		Limits: Limits{
			EarlyBeats: 8,
			UserBeats:  rate.Limit{Count: 1000, Per: 10 * time.Second}, AddressBeats: rate.Limit{Count: 100_000, Per: 10 * time.Second},
			UserSignIns: rate.Limit{Count: 300, Per: 5 * time.Minute}, AddressSignIns: rate.Limit{Count: 30_000, Per: time.Minute},
			UserCost: rate.Limit{Count: 2_000_000, Per: 10 * time.Second}, AddressCost: rate.Limit{Count: 20_000_000, Per: 10 * time.Second},
			Sockets: 100_000, UserSockets: 2000, Subscriptions: 100, Shed: true,
		},
		Log: Log{Level: slog.LevelInfo},
	}, cfg)
}

func TestFlagAndVariableHaveTheSameName(t *testing.T) {
	parser, err := kong.New(&Config{})
	require.NoError(t, err)
	known := namesOf(reflect.TypeFor[Config]())
	var flags int
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		flags++
		want := "ROLLCALL_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		require.Equal(t, []string{want}, flag.Envs)
		require.Contains(t, known, want)
		require.NotEmpty(t, flag.Help)
	}
	require.Len(t, known, flags)
}

func TestVariables(t *testing.T) {
	t.Setenv("ROLLCALL_TTL", "2s")
	t.Setenv("ROLLCALL_LEVEL_INDEX", "false")
	t.Setenv("ROLLCALL_LOG_LEVEL", "debug")
	t.Setenv("ROLLCALL_ALLOWED_ORIGINS", "https://a.example.com,https://b.example.com")
	t.Setenv("ROLLCALL_AVATAR_ORIGINS", "https://cdn.example,http://10.0.0.7:9000")
	cfg, err := parse(t, "--background-ttl=900ms", "--ttl=500ms")
	require.NoError(t, err)
	require.NoError(t, cfg.Check())
	require.Equal(t, 500*time.Millisecond, cfg.Store.TTL, "a flag goes before a variable")
	require.False(t, cfg.Store.LevelIndex)
	require.Equal(t, []string{"https://a.example.com", "https://b.example.com"}, cfg.HTTP.AllowedOrigins)
	require.Equal(t, slog.LevelDebug, cfg.Log.Level)
	require.Equal(t, []string{"https://cdn.example", "http://10.0.0.7:9000"}, cfg.HTTP.AvatarOrigins)

	cfg, err = parse(t, "--no-level-index")
	require.NoError(t, err)
	require.False(t, cfg.Store.LevelIndex)
}

func TestValuesThatDoNotParse(t *testing.T) {
	for _, arg := range []string{"--ttl=60", "--ttl=soon", "--shards=many", "--auth=none", "--log-level=loud", "--level-index=maybe"} {
		t.Run(arg, func(t *testing.T) {
			_, err := parse(t, arg)
			require.Error(t, err)
		})
	}
}

func TestReadmeListsEveryVariable(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	parser, err := kong.New(&Config{})
	require.NoError(t, err)
	for _, flag := range parser.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		row := "| `" + flag.Envs[0] + "` | "
		if flag.HasDefault {
			row += "`" + flag.Default + "` "
		}
		require.Contains(t, string(readme), row)
	}
}

func TestLimitsAreRead(t *testing.T) {
	cfg, err := parse(t, "--user-beats=5/1s", "--user-sign-ins=0", "--introspection", "--no-shed")
	require.NoError(t, err)
	require.Equal(t, rate.Limit{Count: 5, Per: time.Second}, cfg.Limits.UserBeats)
	require.True(t, cfg.Limits.UserSignIns.None())
	require.True(t, cfg.Introspection())
	require.False(t, cfg.Limits.Shed)
	_, err = parse(t, "--user-beats=5")
	require.ErrorContains(t, err, "--user-beats")

	cfg, err = parse(t)
	require.NoError(t, err)
	require.True(t, cfg.Introspection())
	require.True(t, cfg.Suggestions())
	cfg, err = parse(t, "--auth=jwt")
	require.NoError(t, err)
	require.False(t, cfg.Introspection())
	require.False(t, cfg.Suggestions())
	cfg, err = parse(t, "--no-introspection")
	require.NoError(t, err)
	require.False(t, cfg.Introspection())
}

// Where anybody is whom they like, a limit of what a user may ask for says nothing.
func TestRatesHoldOutsideDev(t *testing.T) {
	on, off := true, false
	for name, c := range map[string]struct {
		mode  auth.Mode
		rates *bool
		hold  bool
	}{
		"dev":           {auth.Dev, nil, false},
		"dev, asked":    {auth.Dev, &on, true},
		"jwt":           {auth.JWT, nil, true},
		"jwt, declined": {auth.JWT, &off, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := Default()
			require.NoError(t, err)
			cfg.Auth.Mode, cfg.Limits.Rates = c.mode, c.rates
			limited := cfg.Limited()
			require.Equal(t, c.hold, limited.Shed)
			require.Equal(t, c.hold, limited.UserBeats == cfg.Limits.UserBeats)
			require.Equal(t, c.hold, limited.AddressCost != rate.Limit{})
			require.Equal(t, c.hold, limited.EarlyBeats == cfg.Limits.EarlyBeats)
			require.Equal(t, c.hold, limited.UserSockets == cfg.Limits.UserSockets)
			require.Equal(t, cfg.Limits.Sockets, limited.Sockets)
		})
	}
}
