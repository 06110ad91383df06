'use strict';
const assert = require('assert');
const fs = require('fs');

const WebSocket = require('.');
const limit = 50 * 1024 * 1024;
assert.strictEqual(new WebSocket.Server({ noServer: true }).options.maxPayload, limit);
for (const file of ['lib/websocket.js', 'lib/websocket-server.js']) {
  const source = fs.readFileSync(file, 'utf8');
  const values = [...source.matchAll(/maxPayload: (\d[\d *]*),/g)].map((found) => eval(found[1]));
  assert.deepStrictEqual(values, [limit], file);
  assert.match(source, /\[options.maxPayload=(52428800|50 \* 1024 \* 1024)\]/, file);
  assert.doesNotMatch(source, /104857600/, file);
}
