package main

import (
	"fmt"
	"log"

	"example.org/posterd/queue"
)

func main() {
	var q queue.Queue
	q.Add(queue.Job{ID: "welcome", Sheets: 2})
	q.Add(queue.Job{ID: "fire-exit", Sheets: 1, Urgent: true})
	fmt.Println("sheets needed:", q.Sheets())
	for {
		job, err := q.Next()
		if err == queue.ErrEmpty {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("printing", job.ID)
	}
}
