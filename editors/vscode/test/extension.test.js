// The extension with an editor made of paper, and the server with the settings that the extension gives it.

const assert = require("node:assert");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { test } = require("node:test");

const folder = path.join(__dirname, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));

// What a user has who changed nothing: { path: "fencepost", model: "tso", ..., trace: { server: "off" } }.
function defaults() {
  const values = {};
  for (const [name, property] of Object.entries(manifest.contributes.configuration.properties)) {
    const parts = name.split(".").slice(1);
    let at = values;
    for (const part of parts.slice(0, -1)) at = at[part] ??= {};
    at[parts[parts.length - 1]] = property.default;
  }
  return values;
}

// Loads the extension with stand-ins for what only the editor has.
function load(settings) {
  const seen = { clients: [], commands: {}, errors: [] };
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(this, { id, name, server, options, sent: [], running: false });
      seen.clients.push(this);
    }
    async start() {
      if (this.server.command === "missing") throw new Error("spawn missing ENOENT");
      this.running = true;
    }
    async stop() {
      this.running = false;
    }
    needsStop() {
      return this.running;
    }
    async sendNotification(method, params) {
      this.sent.push([method, params]);
    }
  }
  const vscode = {
    workspace: {
      getConfiguration: () => ({ ...settings, get: (name, otherwise) => settings[name] ?? otherwise }),
      onDidChangeConfiguration: (listener) => {
        seen.changed = listener;
        return { dispose() {} };
      },
    },
    commands: {
      registerCommand: (name, command) => {
        seen.commands[name] = command;
        return { dispose() {} };
      },
      executeCommand: async () => {},
    },
    window: { showErrorMessage: async (message) => void seen.errors.push(message) },
  };
  const real = Module._load;
  Module._load = (name, ...rest) =>
    name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : real(name, ...rest);
  const file = path.join(folder, "extension.js");
  delete require.cache[file];
  try {
    return [require(file), seen];
  } finally {
    Module._load = real;
  }
}

test("it starts the server with settings that the server knows", async () => {
  const [extension, seen] = load(defaults());
  const context = { subscriptions: [] };
  await extension.activate(context);
  const [client] = seen.clients;
  assert.deepStrictEqual(client.server, { command: "fencepost", args: ["lsp"] });
  const { path: _, trace: __, ...known } = defaults();
  assert.deepStrictEqual(client.options.initializationOptions, known);
  const languages = client.options.documentSelector.map((one) => one.language);
  const contributed = manifest.contributes.languages.map((one) => one.id);
  assert.deepStrictEqual(languages.sort(), ["c", ...contributed].sort());

  const { workspace } = client.options.middleware;
  const asked = { items: [{ section: "fencepost" }, { section: "other" }] };
  const answers = await workspace.configuration(asked, undefined, async () => [defaults(), { path: "kept" }]);
  assert.deepStrictEqual(answers, [known, { path: "kept" }]);
  await workspace.didChangeConfiguration(["fencepost"], () => assert.fail("the content is not sent"));
  assert.deepStrictEqual(client.sent, [["workspace/didChangeConfiguration", { settings: null }]]);

  await seen.commands["fencepost.restart"]();
  assert.strictEqual(seen.clients.length, 2);
  assert.ok(!client.running && seen.clients[1].running);
  await extension.deactivate();
  assert.ok(!seen.clients[1].running);
  assert.strictEqual(context.subscriptions.length, 2);
});

test("a server that is missing is reported", async () => {
  const [extension, seen] = load({ ...defaults(), path: "missing" });
  await extension.activate({ subscriptions: [] });
  assert.match(seen.errors[0], /cargo install fencepost --locked.*fencepost\.path/);
});

const server = process.env.FENCEPOST || "fencepost";
const skip = spawnSync(server, ["--version"]).status === 0 ? false : "fencepost is not on the PATH";

test("the server takes these settings and finds a violation", { skip, timeout: 60000 }, async () => {
  const rpc = require("vscode-jsonrpc/node");
  const [extension, seen] = load(defaults());
  await extension.activate({ subscriptions: [] });
  const child = spawn(server, ["lsp"], { stdio: ["pipe", "pipe", "ignore"] });
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  const complaints = [];
  connection.onNotification("window/showMessage", (params) => complaints.push(params.message));
  connection.onRequest("workspace/configuration", () => [seen.clients[0].options.initializationOptions]);
  connection.onUnhandledNotification(() => {});
  const published = new Promise((resolve) => {
    connection.onNotification("textDocument/publishDiagnostics", (params) => {
      if (params.diagnostics.length > 0) resolve(params.diagnostics);
    });
  });
  connection.listen();
  const initializationOptions = seen.clients[0].options.initializationOptions;
  await connection.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {}, initializationOptions });
  await connection.sendNotification("initialized", {});
  const text = fs.readFileSync(path.join(folder, "..", "..", "examples", "peterson.fp"), "utf8");
  const textDocument = { uri: "file:///peterson.fp", languageId: "fencepost", version: 1, text };
  await connection.sendNotification("textDocument/didOpen", { textDocument });
  const diagnostics = await published;
  assert.strictEqual(diagnostics[0].severity, 1);
  assert.deepStrictEqual(complaints, []);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  connection.dispose();
});
