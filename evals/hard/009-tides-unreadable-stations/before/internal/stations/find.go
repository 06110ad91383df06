package stations

import "strings"

// Find returns the station with the given ID or alias.
func Find(list []Station, aliases map[string]string, key string) (Station, bool) {
	key = strings.ToLower(strings.TrimSpace(key))
	if id, ok := aliases[key]; ok {
		key = id
	}
	for _, s := range list {
		if strings.ToLower(s.ID) == key {
			return s, true
		}
	}
	return Station{}, false
}
