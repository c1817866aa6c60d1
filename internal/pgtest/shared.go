package pgtest

import (
	"errors"
	"sync"
)

// binary is the test binary's cluster. It is package state because that is
// what it stands for: the testing package has no other place that all tests see.
var binary sharedCluster

type sharedCluster struct {
	mu      sync.Mutex
	allowed bool // whether someone will stop it
	cluster *cluster
	err     error // why it could not be made; not tried again for each test
}

func (s *sharedCluster) allow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = true
}

func (s *sharedCluster) start() (*cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.allowed {
		return nil, errors.New("Database needs pgtest.Main in the package's TestMain")
	}
	if s.cluster == nil && s.err == nil {
		s.cluster, s.err = launch()
	}
	return s.cluster, s.err
}

func (s *sharedCluster) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster != nil {
		s.cluster.remove()
	}
	s.cluster, s.allowed = nil, false
}
