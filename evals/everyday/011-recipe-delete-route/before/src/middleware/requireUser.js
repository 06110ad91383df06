module.exports = function requireUser(req, res, next) {
  if (!req.user) {
    return res.status(401).json({ error: "please sign in" });
  }
  next();
};
