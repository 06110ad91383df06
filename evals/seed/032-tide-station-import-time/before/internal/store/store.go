// Package store keeps the last levels in memory.
package store

import (
	"sync"
	"time"
)

// Level is the height of the water at one moment.
type Level struct {
	At     time.Time `json:"at"`
	Metres float64   `json:"metres"`
}

// Store is a ring of levels.
type Store struct {
	mu     sync.RWMutex
	levels []Level
	limit  int
}

// New returns a store for up to limit levels.
func New(limit int) *Store {
	return &Store{limit: limit}
}

// Put adds a level and drops the oldest one if there are too many.
func (s *Store) Put(at time.Time, metres float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.levels = append(s.levels, Level{At: at, Metres: metres})
	if len(s.levels) > s.limit {
		s.levels = s.levels[1:]
	}
}

// Since returns a copy of the levels after the given time.
func (s *Store) Since(from time.Time) []Level {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []Level
	for _, level := range s.levels {
		if level.At.After(from) {
			found = append(found, level)
		}
	}
	return found
}
