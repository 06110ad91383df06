package hotel

type Room struct {
	Number    string `json:"number"`
	Floor     int    `json:"floor"`
	MaxGuests int
	Balcony   bool   `json:"balcony"`
}

func (r Room) Label() string {
	if r.Balcony {
		return r.Number + "*"
	}
	return r.Number
}
