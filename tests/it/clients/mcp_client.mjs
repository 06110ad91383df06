// The TypeScript SDK's client against `slotwright mcp`: an edit shown, written and taken back.
// Arguments: the folder with the SDK's node_modules, slotwright, the folder to edit.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, slotwright, folder] = process.argv.slice(2);
const require = createRequire(join(modules, "from-here.js"));
const sdk = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");

const file = join(folder, "tool.py");
const before = readFileSync(file, "utf8");
const client = new Client({ name: "test", version: "1" });
const args = ["mcp", "--root", folder];
await client.connect(new StdioClientTransport({ command: slotwright, args, env: process.env }));
const { tools } = await client.listTools();
const names = tools.map((tool) => tool.name).sort();
assert.deepEqual(names, ["amend", "apply_patch", "edit", "find", "list_edits", "undo", "write"]);

const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
};
const shown = await call("edit", { task: "Rename process_item to handle_item everywhere" });
assert.ok(shown.diff.includes("+def handle_item(item):"), JSON.stringify(shown));
assert.equal(readFileSync(file, "utf8"), before, "an edit is shown first");
await call("write", { token: shown.token });
assert.equal(readFileSync(file, "utf8"), before.replaceAll("process_item", "handle_item"));
await call("undo", {});
assert.equal(readFileSync(file, "utf8"), before);

const outside = await client.callTool({ name: "edit", arguments: { task: "x", file: "../x" } });
assert.ok(outside.isError, JSON.stringify(outside));
await client.close();
console.log("all is well");
