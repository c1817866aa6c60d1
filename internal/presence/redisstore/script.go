package redisstore

import (
	"context"
	"embed"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"
)

//go:embed lua
var luaFiles embed.FS

// script is one operation: the shared parts and its own file as one text.
type script struct {
	name   string
	source string
	sha    string
}

// scripts are all operations. Those that write share state.lua.
type scripts struct {
	beat, end, levels, sweep, settle, forget, tail *script
	presences, page, scan                          *script
	claim, hold, copy, move, clear, roster         *script
	historyRecord, historyRead                     *script
}

func loadScripts() (*scripts, error) {
	var failed error
	load := func(name string, parts ...string) *script {
		source := constants()
		for _, part := range append(parts, name) {
			text, err := luaFiles.ReadFile("lua/" + part + ".lua")
			if err != nil {
				failed = err
			}
			source += string(text)
		}
		return &script{name: name, source: source, sha: redis.NewScript(source).Hash()}
	}
	plain := func(name string) *script { return load(name, "common") }
	writes := func(name string) *script { return load(name, "common", "state") }
	s := &scripts{
		beat: writes("beat"), end: writes("end"), levels: writes("levels"), sweep: writes("sweep"),
		settle: writes("settle"), forget: writes("forget"), tail: writes("tail"),
		presences: plain("presences"), page: plain("page"), scan: plain("scan"),
		claim: load("claim"), clear: load("clear"), hold: plain("hold"), copy: plain("copy"), move: plain("move"), roster: plain("roster"),
		historyRecord: load("history_record", "history"), historyRead: load("history_read", "history"),
	}
	return s, failed
}

// call is one run of a script on one shard of a generation.
type call struct {
	shard int
	keys  []string
	args  []any
}

// run runs a script once for each call, all in one round trip (one for each server), and
// returns the answers in the calls' order, or the first error.
func (s *Store) run(ctx context.Context, g *generation, sc *script, calls []call) ([]any, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	answers := make([]any, len(calls))
	for i, r := range s.runEach(ctx, g, sc, calls) {
		if r.err != nil {
			return nil, r.err
		}
		answers[i] = r.answer
	}
	return answers, nil
}

// reply is what came of one call.
type reply struct {
	answer any
	err    error
}

// runEach is run where each call may fail for itself. A server that has lost the script (a
// restart, a failover, SCRIPT FLUSH) gets it with the call.
func (s *Store) runEach(ctx context.Context, g *generation, sc *script, calls []call) []reply {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	replies := make([]reply, len(calls))
	if err := s.verify(ctx); err != nil {
		for i, c := range calls {
			replies[i].err = missing(g, c.shard, err)
		}
		return replies
	}
	var begin func() error // asked at most once
	for i, cmd := range s.send(ctx, sc, calls) {
		answer, err := cmd.Result()
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			answer, err = s.client.Eval(ctx, sc.source, calls[i].keys, calls[i].args...).Result()
		}
		if redis.HasErrorPrefix(err, emptyReply) {
			if begin == nil {
				begin = sync.OnceValue(func() error { return s.begin(ctx, g) })
			}
			answer, err = s.runFirst(ctx, sc, calls[i], begin)
		}
		if err != nil {
			err = s.failure(ctx, g, sc, calls[i].shard, err)
		}
		replies[i] = reply{answer, err}
	}
	return replies
}

// send sends calls, by a pipeline if there are several. Each command has its own error.
func (s *Store) send(ctx context.Context, sc *script, calls []call) []*redis.Cmd {
	cmds := make([]*redis.Cmd, len(calls))
	if len(calls) == 1 {
		cmds[0] = s.client.EvalSha(ctx, sc.sha, calls[0].keys, calls[0].args...)
		return cmds
	}
	pipe := s.client.Pipeline()
	for i, c := range calls {
		cmds[i] = pipe.EvalSha(ctx, sc.sha, c.keys, c.args...)
	}
	_, _ = pipe.Exec(ctx)
	return cmds
}

// runFirst runs a script on a shard in which nothing is stored, if that may be begun.
func (s *Store) runFirst(ctx context.Context, sc *script, c call, begin func() error) (any, error) {
	if err := begin(); err != nil {
		return nil, err
	}
	c.args = slices.Clone(c.args)
	c.args[beginArg] = true
	return s.client.Eval(ctx, sc.source, c.keys, c.args...).Result()
}
