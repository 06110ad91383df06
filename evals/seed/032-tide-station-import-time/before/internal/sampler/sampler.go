// Package sampler asks the sensor once a minute.
package sampler

import (
	"context"
	"log"
	"sync"
)

// Probe measures the height of the water in metres.
type Probe interface {
	Level() (float64, error)
}

// Sink takes what was measured.
type Sink interface {
	Put(at time.Time, level float64)
}

// Sampler moves levels from a probe to a sink.
type Sampler struct {
	mu    sync.Mutex
	probe Probe
	sink  Sink
	lost  int
}

// New returns a sampler that isn't running yet.
func New(probe Probe, sink Sink) *Sampler {
	return &Sampler{probe: probe, sink: sink}
}

// Run samples until the context ends.
func (s *Sampler) Run(ctx context.Context) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			s.sample(now)
		}
	}
}

// Lost is the number of failed measurements.
func (s *Sampler) Lost() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

func (s *Sampler) sample(now time.Time) {
	level, err := s.probe.Level()
	if err != nil {
		s.mu.Lock()
		s.lost++
		s.mu.Unlock()
		log.Print("sampler: ", err)
		return
	}
	s.sink.Put(now, level)
}
