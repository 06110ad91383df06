package gallery

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Picture is one image of an album.
type Picture struct {
	Name string
	Size int64
}

func isHidden(name string) bool {
	return strings.HasPrefix(name, ".")
}

func isImage(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".webp":
		return true
	}
	return false
}

// Albums lists the folders below root that may be shown.
func Albums(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("albums: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && !isHidden(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// Pictures lists the images directly in an album.
func Pictures(album string) ([]Picture, error) {
	entries, err := os.ReadDir(album)
	if err != nil {
		return nil, fmt.Errorf("pictures: %w", err)
	}
	var pictures []Picture
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !isImage(name) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, fmt.Errorf("pictures: %w", err)
		}
		pictures = append(pictures, Picture{Name: name, Size: info.Size()})
	}
	return pictures, nil
}

// DiskUsage adds up the sizes of all files of an album.
func DiskUsage(album string) (int64, error) {
	var total int64
	err := filepath.WalkDir(album, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() || isHidden(name) {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		total += info.Size()
		return nil
	})
	return total, err
}
