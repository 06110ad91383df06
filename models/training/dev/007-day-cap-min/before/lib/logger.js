const levels = ['debug', 'info', 'warn', 'error'];
const threshold = levels.indexOf(process.env.LOG_LEVEL || 'info');

function write(level, msg) {
  if (levels.indexOf(level) < threshold) return;
  const time = new Date().toISOString();
  console.log(`${time} ${level} ${msg}`);
}

const logger = {};
for (const level of levels) {
  logger[level] = (msg) => write(level, msg);
}

module.exports = { logger };
