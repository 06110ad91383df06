export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri';

export interface Doctor {
  id: number;
  name: string;
  speciality: string;
}

export interface Slot {
  id: number;
  doctorId: number;
  start: string;
  end: string;
  taken: boolean;
}

export interface Booking {
  slotId: number;
  patient: string;
  phone?: string;
  email?: string;
}
