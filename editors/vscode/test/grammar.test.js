// The grammar on the examples: nothing is left without a scope, and words have the scopes that themes colour.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test, before } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const folder = path.join(__dirname, "..");
const examples = path.join(folder, "..", "..", "examples");
let grammar;

before(async () => {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer;
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => {
      const file = path.join(folder, "syntaxes", "fencepost.tmLanguage.json");
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  grammar = await registry.loadGrammar("source.fencepost");
});

// Pieces of a text, each with its innermost scope.
function pieces(text) {
  const found = [];
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const scope = token.scopes[token.scopes.length - 1].replace(/\.fencepost$/, "");
      found.push([line.slice(token.startIndex, token.endIndex), scope]);
    }
  }
  return found;
}

function check(text, expected) {
  const found = pieces(text).filter(([piece]) => piece.trim() !== "");
  for (const [piece, scope] of expected) {
    assert.ok(
      found.some(([p, s]) => p.trim() === piece && s === scope),
      `${piece} is not ${scope} in\n${text}\n${JSON.stringify(found)}`,
    );
  }
}

test("declarations", () => {
  check("const N = 0x1f;\nshared 0..N a[N] = 1;\nmutex m;\nlocal thread_id t = none;", [
    ["const", "storage.modifier"],
    ["0x1f", "constant.numeric.hex"],
    ["shared", "storage.modifier"],
    ["..", "keyword.operator.range"],
    ["a", "variable.other"],
    ["mutex", "storage.type"],
    ["thread_id", "storage.type"],
    ["none", "constant.language"],
  ]);
});

test("processes, labels and orders", () => {
  check("process p(int i) {\n  x@release = 1;\n  fence store_store;\n  fence;\nagain: r = cas(y, 0, any);\n  goto again;\n}", [
    ["process", "storage.type"],
    ["p", "entity.name.function"],
    ["release", "storage.modifier.order"],
    ["fence", "keyword.other.fence"],
    ["store_store", "storage.modifier.order"],
    ["again", "entity.name.label"],
    ["cas", "support.function.rmw"],
    ["any", "constant.language"],
    ["goto", "keyword.control"],
  ]);
});

test("properties and comments", () => {
  check("/* at most\n 1 */ at most 1 at critical; // final\nfinal not exists (!t1.r);", [
    ["at", "keyword.other.property"],
    ["most", "keyword.other.property"],
    ["critical", "entity.name.label"],
    ["// final", "comment.line.double-slash"],
    ["not", "keyword.other.property"],
    ["exists", "keyword.other.property"],
  ]);
  assert.ok(!pieces("/* if\n while */").some(([, scope]) => scope.startsWith("keyword")));
});

test("every example", () => {
  const files = fs.readdirSync(examples).filter((name) => name.endsWith(".fp"));
  assert.ok(files.length > 50);
  for (const name of files) {
    for (const [piece, scope] of pieces(fs.readFileSync(path.join(examples, name), "utf8"))) {
      assert.ok(scope !== "source" || !/\w/.test(piece), `${name}: "${piece}" has no scope`);
    }
  }
});
