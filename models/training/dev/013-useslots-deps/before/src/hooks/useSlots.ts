import { useEffect, useState } from 'react';
import { fetchSlots } from '../api/client';
import type { Slot } from '../types';

export function useSlots(doctorId: number, day: string) {
  const [slots, setSlots] = useState<Slot[]>([]);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    let stale = false;
    setLoading(true);
    setError(null);
    fetchSlots(doctorId, day)
      .then((result) => {
        if (!stale) setSlots(result);
      })
      .catch((e: Error) => {
        if (!stale) setError(e.message);
      })
      .finally(() => {
        if (!stale) setLoading(false);
      });
    return () => {
      stale = true;
    };
  }, [doctorId]);

  return { slots, loading, error };
}
