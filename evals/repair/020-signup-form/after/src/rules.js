'use strict';

const NAME_MAX = 20;
const PASSWORD_MIN = 10;

function checkName(name) {
  if (name.trim() === '') {
    return 'Please choose a name.';
  }
  if (name.length > NAME_MAX) {
    return `The name must have at most ${NAME_MAX} characters.`;
  }
  return null;
}

function checkPassword(password, repeated) {
  if (password.length < PASSWORD_MIN) {
    return `The password must have at least ${PASSWORD_MIN} characters.`;
  }
  if (password !== repeated) {
    return 'The two passwords differ.';
  }
  return null;
}

function checkMail(mail) {
  const [user, host, ...more] = mail.split('@');
  if (!user || !host || more.length > 0 || !host.includes('.')) {
    return 'This does not look like a mail address.';
  }
  return null;
}

module.exports = { checkName, checkPassword, checkMail };
