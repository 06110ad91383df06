import { useSlots } from '../hooks/useSlots';
import { timeOf } from '../utils/date';
import type { Slot } from '../types';

interface Props {
  doctorId: number;
  day: string;
  onPick: (slot: Slot) => void;
}

export function SlotList({ doctorId, day, onPick }: Props) {
  const { slots, loading, error } = useSlots(doctorId, day);

  if (loading) return <p>Loading…</p>;
  if (error) return <p className="error">Could not load the slots.</p>;
  if (slots.length === 0) return <p>Nothing free on this day.</p>;

  return (
    <ul className="slots">
      {slots.map((slot) => (
        <li key={slot.id}>
          <button onClick={() => onPick(slot)} disabled={!slot.taken}>
            {timeOf(slot.start)} – {timeOf(slot.end)}
          </button>
        </li>
      ))}
    </ul>
  );
}
