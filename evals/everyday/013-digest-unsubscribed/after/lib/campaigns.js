"use strict";

const { render } = require("./templates");
const { sendMail } = require("./mailer");

const BATCH = 50;
const DAY = 24 * 60 * 60 * 1000;

/** Send one mail per subscriber, a batch at a time. */
async function sendAll(subscribers, subject, template, data) {
  let sent = 0;
  for (let i = 0; i < subscribers.length; i += BATCH) {
    const batch = subscribers.slice(i, i + BATCH);
    await Promise.all(
      batch.map((s) =>
        sendMail({
          to: s.email,
          subject,
          html: render(template, { ...data, name: s.name, token: s.token }),
        })
      )
    );
    sent += batch.length;
  }
  return sent;
}

/** Announcements go to everybody on the list. */
function sendAnnouncement(subscribers, subject, text) {
  const recipients = subscribers.filter((s) => s.confirmed && !s.unsubscribed);
  return sendAll(recipients, subject, "announcement", { text });
}

/** The digest has the articles of the last seven days. */
function sendWeeklyDigest(subscribers, articles, now = Date.now()) {
  const fresh = articles.filter((a) => now - a.publishedAt < 7 * DAY);
  if (fresh.length === 0) {
    return Promise.resolve(0);
  }
  const recipients = subscribers.filter((s) => s.confirmed && !s.unsubscribed);
  return sendAll(recipients, "This week in the garden", "digest", { articles: fresh });
}

/** Remind people who never clicked the link in the first mail. */
function sendReminder(subscribers, now = Date.now()) {
  const recipients = subscribers.filter((s) => !s.confirmed && now - s.signedUpAt > 3 * DAY);
  return sendAll(recipients, "Please confirm your address", "confirm", {});
}

/** Say goodbye once, no matter whether the address was confirmed. */
function sendGoodbye(subscribers, now = Date.now()) {
  const recipients = subscribers.filter((s) => s.unsubscribed && now - s.unsubscribedAt < DAY);
  return sendAll(recipients, "Goodbye", "goodbye", {});
}

/** Figures for the start page. */
function summary(subscribers) {
  return {
    total: subscribers.length,
    confirmed: subscribers.filter((s) => s.confirmed).length,
    unsubscribed: subscribers.filter((s) => s.unsubscribed).length,
  };
}

module.exports = { sendAnnouncement, sendWeeklyDigest, sendReminder, sendGoodbye, summary };
