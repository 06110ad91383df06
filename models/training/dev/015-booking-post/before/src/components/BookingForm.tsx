import { FormEvent, useState } from 'react';
import { ApiError, createBooking } from '../api/client';
import { timeOf } from '../utils/date';
import type { Doctor, Slot } from '../types';

interface Props {
  doctor: Doctor;
  slot: Slot;
  onDone: () => void;
  onCancel: () => void;
}

const MIN_NAME_LENGTH = 3;

export function BookingForm({ doctor, slot, onDone, onCancel }: Props) {
  const [patient, setPatient] = useState('');
  const [phone, setPhone] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');

  const valid = patient.trim().length >= MIN_NAME_LENGTH;

  async function submit(ev: FormEvent) {
    ev.preventDefault();
    if (!valid || busy) return;
    setBusy(true);
    setProblem('');
    try {
      await createBooking({
        slotId: slot.id,
        patient: patient.trim(),
        phone: phone || undefined,
      });
      onDone();
    } catch (e) {
      if (e instanceof ApiError && e.status === 409) {
        setProblem('Somebody else was faster. Please pick another time.');
      } else {
        setProblem('That did not work. Please try again later.');
      }
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} className="booking">
      <h2>{doctor.name}</h2>
      <p>
        {timeOf(slot.start)} – {timeOf(slot.end)}
      </p>
      <label>
        Your name
        <input value={patient} onChange={(e) => setPatient(e.target.value)} />
      </label>
      <label>
        Phone (optional)
        <input type="tel" value={phone} onChange={(e) => setPhone(e.target.value)} />
      </label>
      {problem && <p className="error">{problem}</p>}
      <div className="actions">
        <button type="button" onClick={onCancel}>
          Back
        </button>
        <button type="submit" disabled={!valid}>
          Book appointment
        </button>
      </div>
    </form>
  );
}
