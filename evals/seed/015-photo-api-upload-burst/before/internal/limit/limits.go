package limit

import "time"

// Rule says how many requests a client may send.
type Rule struct {
	Every time.Duration
	Burst int
}

// Rules by the first part of the path.
var Rules = map[string]Rule{
	"albums":  {Every: 200 * time.Millisecond, Burst: 20},
	"uploads": {Every: 2 * time.Second, Burst: 4},
	"thumbs":  {Every: 20 * time.Millisecond, Burst: 100},
	"exports": {Every: 12 * time.Second, Burst: 4},
}

// Fallback is used for every other path.
var Fallback = Rule{Every: time.Second, Burst: 4}
