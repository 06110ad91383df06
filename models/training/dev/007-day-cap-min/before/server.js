const express = require('express');
const rentals = require('./routes/rentals');
const bikes = require('./routes/bikes');
const { requireUser } = require('./middleware/auth');
const { logger } = require('./lib/logger');

const app = express();
const port = process.env.PORT || 3000;

app.use(express.json({ limit: '100kb' }));
app.use('/bikes', bikes);
app.use('/rentals', requireUser, rentals);

app.get('/health', (req, res) => {
  res.json({ ok: true });
});

app.use((err, req, res, next) => {
  logger.error(err);
  res.status(err.status || 500).json({ error: err.message });
});

app.listen(port, () => logger.info(`listening on ${port}`));
