package dnscache

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

type entry struct {
	addrs   []string
	expires time.Time
}

// Resolver looks up host names and remembers the answers.
type Resolver struct {
	mu    sync.Mutex
	ttl   time.Duration
	cache map[string]entry
}

func New(ttl time.Duration) *Resolver {
	return &Resolver{ttl: ttl, cache: make(map[string]entry)}
}

// Resolve returns the addresses of host.
func (r *Resolver) Resolve(ctx context.Context, host string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	if e, ok := r.cache[host]; ok && time.Now().Before(e.expires) {
		return e.addrs, nil
	}
	addrs, err := net.DefaultResolver.LookupHost(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	r.cache[host] = entry{addrs: addrs, expires: time.Now().Add(r.ttl)}
	return addrs, nil
}

// Dump prints what is in the cache.
func (r *Resolver) Dump() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for host, e := range r.cache {
		fmt.Println(host, e.addrs, e.expires)
	}
}
