const nodemailer = require('nodemailer');
const { logger } = require('./logger');

const transport = nodemailer.createTransport({
  host: process.env.SMTP_HOST,
  port: 587,
});

async function sendReceipt(to, rental) {
  await transport.sendMail({
    from: 'Velostation <hello@velostation.example>',
    to,
    subject: 'Your bike rental',
    text: `Thanks for riding with us! You paid ${rental.total.toFixed(2)} CHF.`,
  });
  logger.info(`receipt sent to ${to}`);
}

module.exports = { sendReceipt };
