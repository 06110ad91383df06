import { open } from './sqlite.js';

export const db = open('harbour.db');
