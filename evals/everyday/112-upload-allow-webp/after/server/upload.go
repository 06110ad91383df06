package server

import (
	"errors"
	"io"
	"net/http"
	"slices"
)

const (
	maxUpload = 10 << 20
	maxAvatar = 1 << 20
)

var (
	errTooLarge = errors.New("file is too large")
	errBadType  = errors.New("file type is not allowed")
)

// uploadTypes may be attached to a message.
var uploadTypes = []string{
	"application/pdf",
	"image/gif",
	"image/jpeg",
	"image/png",
	"image/webp",
}

// avatarTypes may be used as a profile picture.
var avatarTypes = []string{
	"image/jpeg",
	"image/png",
}

// inlineTypes are shown in the browser instead of being downloaded.
var inlineTypes = []string{
	"image/gif",
	"image/jpeg",
	"image/png",
	"text/plain",
}

func (s *Server) handleUpload(w http.ResponseWriter, r *http.Request) {
	data, kind, err := receive(w, r, maxUpload, uploadTypes)
	if err != nil {
		s.reject(w, err)
		return
	}
	s.store(w, "attachments", kind, data)
}

func (s *Server) handleAvatar(w http.ResponseWriter, r *http.Request) {
	data, kind, err := receive(w, r, maxAvatar, avatarTypes)
	if err != nil {
		s.reject(w, err)
		return
	}
	s.store(w, "avatars", kind, data)
}

func receive(w http.ResponseWriter, r *http.Request, limit int64, types []string) ([]byte, string, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return nil, "", errTooLarge
	}
	kind := http.DetectContentType(data)
	if !slices.Contains(types, kind) {
		return nil, "", errBadType
	}
	return data, kind, nil
}

func disposition(kind string) string {
	if slices.Contains(inlineTypes, kind) {
		return "inline"
	}
	return "attachment"
}
