package stats

import "sync"

// Counter counts events by name.
type Counter struct {
	mu     sync.RWMutex
	counts map[string]int
}

func NewCounter() *Counter {
	return &Counter{counts: make(map[string]int)}
}

func (c *Counter) Add(name string, n int) {
	c.mu.Lock()
	c.counts[name] += n
}

func (c *Counter) Get(name string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.counts[name]
}
