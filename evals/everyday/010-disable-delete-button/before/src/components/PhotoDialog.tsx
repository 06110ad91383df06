import { useEffect, useState } from "react";
import { deletePhoto, rotatePhoto } from "../api/photos";
import type { Photo } from "../types";

interface Props {
  photos: Photo[];
  start: number;
  onClose: () => void;
  onDeleted: (id: string) => void;
}

export function PhotoDialog({ photos, start, onClose, onDeleted }: Props) {
  const [index, setIndex] = useState(start);
  const [deleting, setDeleting] = useState(false);
  const [rotating, setRotating] = useState(false);
  const photo = photos[index];

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key === "Escape") onClose();
      if (event.key === "ArrowLeft") setIndex((i) => Math.max(i - 1, 0));
      if (event.key === "ArrowRight") setIndex((i) => Math.min(i + 1, photos.length - 1));
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onClose, photos.length]);

  async function handleRotate() {
    setRotating(true);
    try {
      await rotatePhoto(photo.id, 90);
    } finally {
      setRotating(false);
    }
  }

  async function handleDelete() {
    setDeleting(true);
    try {
      await deletePhoto(photo.id);
      onDeleted(photo.id);
    } finally {
      setDeleting(false);
    }
  }

  return (
    <dialog open className="photo-dialog">
      <header>
        <h2>{photo.title}</h2>
        <button className="btn icon" onClick={onClose}>
          Close
        </button>
      </header>
      <img src={photo.url} alt={photo.title} />
      <footer>
        <button className="btn" onClick={() => setIndex(index - 1)} disabled={index === 0}>
          Previous
        </button>
        <button className="btn" onClick={() => setIndex(index + 1)} disabled={index === photos.length - 1}>
          Next
        </button>
        <button className="btn" onClick={handleRotate} disabled={rotating}>
          Rotate
        </button>
        <button className="btn danger" onClick={handleDelete}>
          Delete photo
        </button>
      </footer>
    </dialog>
  );
}
