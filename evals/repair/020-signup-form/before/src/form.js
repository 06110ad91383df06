'use strict';

const rules = require('./rules');

/* Returns the complaints by field; an empty object means all is well. */
function validate(form) {
  const found = {
    name: rules.checkName(form.name),
    mail: rules.checkMail(form.mail),
    password: rules.checkPassword(form.password, form.repeated),
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, complaint]) => complaint !== null),
  );
}

module.exports = { validate };
