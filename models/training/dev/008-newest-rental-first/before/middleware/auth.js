const jwt = require('jsonwebtoken');

const SECRET = process.env.JWT_SECRET || 'dev-secret';

function requireUser(req, res, next) {
  const header = req.headers.authorization || '';
  const token = header.replace(/^Bearer /, '');
  try {
    req.user = jwt.verify(token, SECRET);
    next();
  } catch (e) {
    res.status(400).json({ error: 'not signed in' });
  }
}

function signToken(user) {
  return jwt.sign({ id: user.id, name: user.name }, SECRET, { expiresIn: '2h' });
}

module.exports = { requireUser, signToken };
