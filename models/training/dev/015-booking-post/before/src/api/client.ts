import type { Booking, Doctor, Slot } from '../types';

const BASE_URL = '/api/v1';
const TIMEOUT_MS = 8000;

export class ApiError extends Error {
  constructor(public status: number, message: string) {
    super(message);
    this.name = 'ApiError';
  }
}

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const ctrl = new AbortController();
  const timer = setTimeout(() => ctrl.abort(), TIMEOUT_MS);
  try {
    const res = await fetch(BASE_URL + path, { ...init, signal: ctrl.signal });
    if (!res.ok) {
      throw new ApiError(res.status, await res.text());
    }
    return (await res.json()) as T;
  } finally {
    clearTimeout(timer);
  }
}

export function fetchDoctors(): Promise<Doctor[]> {
  return request<Doctor[]>('/doctors');
}

export function fetchSlots(doctorId: number, day: string): Promise<Slot[]> {
  return request<Slot[]>(`/doctors/${doctorId}/slots?day=${day}`);
}

export function createBooking(booking: Booking): Promise<void> {
  return request<void>('/bookings', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(booking),
  });
}
