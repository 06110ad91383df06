package jobs

import (
	"context"
	"log"
	"time"
)

const maxAttempts = 5

type Worker struct {
	queue   Queue
	dead    Queue
	handler func(context.Context, Job) error
	log     *log.Logger
}

// Run takes jobs from the queue until ctx is done.
func (w *Worker) Run(ctx context.Context) {
	w.log.Printf("worker started")
	for {
		job, ok := w.queue.Pop(ctx)
		if !ok {
			w.log.Printf("worker stopped")
			return
		}
		w.process(ctx, job)
	}
}

func (w *Worker) process(ctx context.Context, job Job) {
	err := w.handler(ctx, job)
	if err == nil {
		return
	}
	w.log.Printf("job %s failed: %v", job.ID, err)
	job.Attempts++
	if job.Attempts >= maxAttempts {
		w.dead.Push(job)
		return
	}
	job.NotBefore = time.Now().Add(backoff(job.Attempts))
	w.queue.Push(job)
}

func backoff(attempts int) time.Duration {
	return time.Duration(attempts*attempts) * time.Second
}
