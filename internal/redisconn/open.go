package redisconn

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Timeouts of one attempt. Callers bound a call with its retries by a context,
// which the clients heed.
const (
	DialTimeout = time.Second
	IOTimeout   = time.Second

	maxRetries  = 1
	dialRetries = 1
)

// clusterReload is how often a Cluster's slots are read anew at the least, so that
// a failover is noticed where no MOVED tells of it.
const clusterReload = 5 * time.Second

// Open makes a client; it connects when it is used. At least pool connections to
// each server may be open at a time.
func (a Address) Open(pool int) redis.UniversalClient {
	if a.pool > pool {
		pool = a.pool
	}
	if a.scheme == "ring" {
		return a.ring(pool)
	}
	o := &redis.UniversalOptions{
		Addrs: a.hosts, MasterName: a.master, DB: a.db, Username: a.username, Password: a.password, TLSConfig: a.tls,
		SentinelUsername: a.sentinelUsername, SentinelPassword: a.sentinelPassword,
		DialTimeout: DialTimeout, ReadTimeout: IOTimeout, WriteTimeout: IOTimeout, PoolTimeout: IOTimeout,
		MaxRetries: maxRetries, DialerRetries: dialRetries, ContextTimeoutEnabled: true, PoolSize: pool,
		// Hand-overs announced by a managed service; a plain Redis knows none.
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	switch a.scheme {
	case "cluster":
		cluster := o.Cluster()
		cluster.ClusterStateReloadInterval = clusterReload
		return redis.NewClusterClient(cluster)
	case "sentinel":
		return hooked(redis.NewFailoverClient(o.Failover()))
	}
	return hooked(redis.NewClient(o.Simple()))
}

// hooked is the client of one server; a Cluster's needs no hook.
func hooked(c *redis.Client) *redis.Client {
	c.AddHook(refused{})
	return c
}

// ring never takes a server that is down out of the ring: its users would be
// looked for, and signed in, on another one.
func (a Address) ring(pool int) redis.UniversalClient {
	servers := make(map[string]string, len(a.hosts))
	for _, host := range a.hosts {
		servers[host] = host
	}
	return redis.NewRing(&redis.RingOptions{
		Addrs: servers, DB: a.db, Username: a.username, Password: a.password, TLSConfig: a.tls,
		DialTimeout: DialTimeout, ReadTimeout: IOTimeout, WriteTimeout: IOTimeout, PoolTimeout: IOTimeout,
		MaxRetries: maxRetries, DialerRetries: dialRetries, ContextTimeoutEnabled: true, PoolSize: pool,
		NewClient:   func(o *redis.Options) *redis.Client { return hooked(redis.NewClient(o)) },
		HeartbeatFn: func(context.Context, *redis.Client) bool { return true },
	})
}
