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
// returns the answers in the calls' order. The first error ends it.
func (s *Store) run(ctx context.Context, g *generation, sc *script, calls []call) ([]any, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := s.verify(ctx); err != nil {
		return nil, missing(g, calls[0].shard, err)
	}
	begin := sync.OnceValue(func() error { return s.begin(ctx, g) })
	if len(calls) == 1 {
		answer, err := s.runOne(ctx, sc, calls[0])
		if redis.HasErrorPrefix(err, emptyReply) {
			answer, err = s.runFirst(ctx, sc, calls[0], begin)
		}
		if err != nil {
			return nil, s.failure(ctx, g, sc, calls[0].shard, err)
		}
		return []any{answer}, nil
	}
	pipe := s.client.Pipeline()
	cmds := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		cmds[i] = pipe.EvalSha(ctx, sc.sha, c.keys, c.args...)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	answers := make([]any, len(calls))
	for i, cmd := range cmds {
		answer, err := cmd.Result()
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			answer, err = s.client.Eval(ctx, sc.source, calls[i].keys, calls[i].args...).Result()
		}
		if redis.HasErrorPrefix(err, emptyReply) {
			answer, err = s.runFirst(ctx, sc, calls[i], begin)
		}
		if err != nil {
			return nil, s.failure(ctx, g, sc, calls[i].shard, err)
		}
		answers[i] = answer
	}
	return answers, nil
}

// runOne is run without a pipeline. A server that has lost the script (a
// restart, a failover, SCRIPT FLUSH) gets it with the call.
func (s *Store) runOne(ctx context.Context, sc *script, c call) (any, error) {
	answer, err := s.client.EvalSha(ctx, sc.sha, c.keys, c.args...).Result()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		answer, err = s.client.Eval(ctx, sc.source, c.keys, c.args...).Result()
	}
	return answer, err
}

// runFirst is runOne for a shard in which nothing is stored, if that may be begun.
func (s *Store) runFirst(ctx context.Context, sc *script, c call, begin func() error) (any, error) {
	if err := begin(); err != nil {
		return nil, err
	}
	c.args = slices.Clone(c.args)
	c.args[beginArg] = true
	return s.runOne(ctx, sc, c)
}
