import express from 'express';
import { db } from './db.js';

export const routes = express.Router();

routes.get('/boats', async (req, res) => {
  if (!db.ready) return res.status(503).json({ error: 'starting' });
  res.json(await db.all('SELECT * FROM boats'));
});

routes.get('/berths', async (req, res) => {
  res.json(await db.all('SELECT * FROM berths'));
});
