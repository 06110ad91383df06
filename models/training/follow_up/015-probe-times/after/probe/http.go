package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultInterval = 2 * time.Minute
	maxBody         = 64 << 10
)

var ErrStatus = errors.New("unexpected status")

// Target is one URL that is checked regularly.
type Target struct {
	Name     string
	URL      string
	Interval time.Duration
}

type Result struct {
	Target  string
	Took    time.Duration
	Status  int
	Err     error
	Checked time.Time
}

type Prober struct {
	client *http.Client
	mu     sync.Mutex
	last   map[string]Result
}

func New() *Prober {
	return &Prober{
		client: &http.Client{Timeout: defaultTimeout},
		last:   make(map[string]Result),
	}
}

func (p *Prober) Check(ctx context.Context, t Target) Result {
	start := time.Now()
	res := Result{Target: t.Name, Checked: start}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		res.Err = err
		return p.store(res)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		res.Err = err
		return p.store(res)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody)); err != nil {
		slog.Debug("read body", "target", t.Name, "err", err)
	}

	res.Took = time.Since(start)
	res.Status = resp.StatusCode
	if resp.StatusCode >= 400 {
		res.Err = fmt.Errorf("%w: %d", ErrStatus, resp.StatusCode)
	}
	return p.store(res)
}

func (p *Prober) store(r Result) Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[r.Target] = r
	return r
}

func (p *Prober) Last(name string) (Result, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, ok := p.last[name]
	return r, ok
}

// Run checks the target until the context ends.
func (p *Prober) Run(ctx context.Context, t Target) {
	if t.Interval == 0 {
		t.Interval = defaultInterval
	}
	tick := time.NewTicker(t.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.Check(ctx, t)
		}
	}
}
