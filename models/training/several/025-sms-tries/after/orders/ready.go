package orders

import (
	"fmt"

	"example.org/cobbler/sms"
)

// Order is a pair of shoes to mend.
type Order struct {
	ID    int
	Phone string
	Ready bool
}

// MarkReady marks the order and tells the customer.
func MarkReady(o *Order) error {
	if o.Ready {
		return nil
	}
	o.Ready = true
	text := fmt.Sprintf("Your shoes (no. %d) are ready.", o.ID)
	return sms.Send(o.Phone, text, 5)
}
