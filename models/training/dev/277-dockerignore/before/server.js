const http = require('http');

http.createServer((req, res) => {
  res.end('tide table\n');
}).listen(3000);
