package desk

type Ticket struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Note  string `json:"note,omitempty"`
	Open  bool   `json:"open"`
}

func (t *Ticket) Close(note string) {
	t.Open = false
	t.Note = note
}
