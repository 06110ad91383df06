// Package queue holds the jobs of the poster printer.
package queue

import (
	"errors"
	"sync"
)

// ErrEmpty is returned by Next when there is nothing to print.
var ErrEmpty = errors.New("queue: empty")

// Job is one poster to print.
type Job struct {
	ID     string
	Sheets int
	Urgent bool
}

// Queue is safe for use by several goroutines.
type Queue struct {
	mu sync.Mutex

	// Waiting to be printed, the next one first.
	pending []Job

	// Already printed.
	done []Job
}

// Add puts a job at the end, or at the front if it is urgent.
func (q *Queue) Add(job Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if job.Urgent {
		q.pending = append([]Job{job}, q.pending...)
		return
	}
	q.pending = append(q.pending, job)
}

// Next takes the first job out of the queue.
func (q *Queue) Next() (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) == 0 {
		return Job{}, ErrEmpty
	}
	job := q.pending[0]
	q.pending = q.pending[1:]
	q.done = append(q.done, job)
	return job, nil
}

// Sheets tells how much paper the waiting jobs need.
func (q *Queue) Sheets() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	total := 0
	for _, job := range q.pending {
		total += job.Sheets
	}
	return total
}

// Printed is the number of finished jobs.
func (q *Queue) Printed() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.done)
}
