// Starts the language server `fencepost lsp` and hands it the settings. Everything else is the server's work.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

// The settings that the server knows; it refuses others. `path` and `trace` are this extension's own.
const SERVER_SETTINGS = ["model", "engine", "timeout", "fenceTime", "checkOnOpen", "robustness", "arguments"];

let client;

function forServer(configuration) {
  const settings = {};
  for (const name of SERVER_SETTINGS) {
    const value = configuration && configuration[name];
    if (value !== undefined && value !== null) settings[name] = value;
  }
  return settings;
}

function newClient() {
  const configuration = vscode.workspace.getConfiguration("fencepost");
  const command = configuration.get("path", "fencepost");
  return new LanguageClient("fencepost", "Fencepost", { command, args: ["lsp"] }, {
    documentSelector: [
      { scheme: "file", language: "c" },
      { scheme: "file", language: "fencepost" },
      { scheme: "file", language: "litmus" },
      { scheme: "file", language: "memorax" },
    ],
    initializationOptions: forServer(configuration),
    synchronize: { configurationSection: "fencepost" },
    middleware: {
      workspace: {
        // What the server asks for.
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          if (!Array.isArray(answers)) return answers;
          return answers.map((answer, i) => (params.items[i].section === "fencepost" ? forServer(answer) : answer));
        },
        // A change without its content: the server then asks.
        didChangeConfiguration: async () => client.sendNotification("workspace/didChangeConfiguration", { settings: null }),
      },
    },
  });
}

async function start() {
  client = newClient();
  try {
    await client.start();
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(
      `Fencepost's language server does not start: ${error.message}. Install it with "cargo install fencepost --locked", or set fencepost.path.`,
      "Open settings",
    );
    if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "fencepost.path");
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.needsStop()) await old.stop();
}

exports.activate = async (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("fencepost.restart", restart));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("fencepost.path") && restart()),
  );
  await start();
};

exports.deactivate = stop;
