package limit

import (
	"sync"
	"time"
)

// Bucket is a token bucket for one client and one rule.
type Bucket struct {
	mu     sync.Mutex
	rule   Rule
	tokens float64
	last   time.Time
}

// NewBucket returns a full bucket.
func NewBucket(rule Rule, now time.Time) *Bucket {
	return &Bucket{rule: rule, tokens: float64(rule.Burst), last: now}
}

// Take reports whether a request may pass.
func (b *Bucket) Take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += float64(now.Sub(b.last)) / float64(b.rule.Every)
	if full := float64(b.rule.Burst); b.tokens > full {
		b.tokens = full
	}
	b.last = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
