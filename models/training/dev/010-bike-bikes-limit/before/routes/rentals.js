const { Router } = require('express');
const db = require('../lib/db');
const { priceFor } = require('../lib/pricing');
const { sendReceipt } = require('../lib/mailer');
const { logger } = require('../lib/logger');

const router = Router();

const MAX_OPEN_RENTALS = 2;

function toDto(row) {
  return {
    id: row.id,
    bikeId: row.bike_id,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    total: row.total,
  };
}

router.get('/', async (req, res) => {
  const rows = await db('rentals')
    .where({ user_id: req.user.id })
    .orderBy('started_at', 'asc')
    .limit(50);
  res.json(rows.map(toDto));
});

router.post('/', async (req, res) => {
  const { bikeId } = req.body;
  const bike = await db('bikes').where({ id: bikeId }).first();
  if (!bike) return res.status(404).json({ error: 'no such bike' });
  if (bike.retired) return res.status(409).json({ error: 'bike is out of service' });

  const open = await db('rentals')
    .where({ user_id: req.user.id })
    .whereNull('ended_at');
  if (open.length >= MAX_OPEN_RENTALS) {
    return res.status(409).json({ error: 'too many open rentals' });
  }

  const [row] = await db('rentals')
    .insert({ bike_id: bikeId, user_id: req.user.id, started_at: new Date() })
    .returning('*');
  logger.info(`rental ${row.id} started`);
  res.status(201).json(toDto(row));
});

router.post('/:id/end', async (req, res) => {
  const rental = await db('rentals')
    .where({ id: req.params.id, user_id: req.user.id })
    .first();
  if (!rental) return res.status(404).json({ error: 'no such rental' });
  if (rental.ended_at) return res.status(409).json({ error: 'already ended' });

  const bike = await db('bikes').where({ id: rental.bike_id }).first();
  const endedAt = new Date();
  const total = priceFor(bike.kind, rental.started_at, endedAt);

  const [row] = await db('rentals')
    .where({ id: rental.id })
    .update({ ended_at: endedAt, total })
    .returning('*');
  await sendReceipt(req.user.email, row);
  res.json(toDto(row));
});

module.exports = router;
