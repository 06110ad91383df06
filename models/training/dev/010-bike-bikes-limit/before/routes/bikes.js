const { Router } = require('express');
const db = require('../lib/db');

const router = Router();

router.get('/', async (req, res) => {
  const query = db('bikes').where({ retired: false });
  if (req.query.station) {
    query.andWhere({ station_id: req.query.station });
  }
  res.json(await query.limit(50));
});

router.get('/:id', async (req, res) => {
  const bike = await db('bikes').where({ id: req.params.id }).first();
  if (!bike) return res.status(404).json({ error: 'no such bike' });
  res.json(bike);
});

module.exports = router;
