package rooms

import (
	"fmt"
	"strings"
)

// Room is a room that can be booked.
type Room struct {
	Name  string
	Seats int
}

// Registry knows the rooms of a school.
type Registry struct {
	rooms map[string]Room
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{rooms: make(map[string]Room)}
}

func key(name string) string {
	return strings.ToLower(strings.TrimSpace(name))
}

// Add adds a room; the name must be new.
func (r *Registry) Add(room Room) error {
	if _, ok := r.rooms[key(room.Name)]; ok {
		return fmt.Errorf("room %q exists", room.Name)
	}
	r.rooms[key(room.Name)] = room
	return nil
}

// Find looks a room up.
func (r *Registry) Find(name string) (Room, bool) {
	room, ok := r.rooms[key(name)]
	return room, ok
}

// Remove removes a room, if there is one.
func (r *Registry) Remove(name string) {
	delete(r.rooms, key(name))
}
