/**
 * Finds the Python that runs the server, builds the command line, and helps the user if there is no Python. A workspace
 * that is not trusted has no influence on any of it.
 */
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { SECTION, type Settings } from './settings';
import { notify } from '../util/window';
import type { Command } from './process';
import { findPython, MIN_VERSION, versionOf, type Candidate, type Found } from './python';

const MIN_VERSION_TEXT = MIN_VERSION.join('.');

/** The part of the Python extension's API used here. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Look for a Python in the setting, the Python extension, and the PATH, in this order. */
export async function findInterpreter(context: vscode.ExtensionContext, settings: Settings): Promise<Found> {
  const trusted = vscode.workspace.isTrusted;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const places = {
    configured: settings.interpreter,
    selected: trusted && settings.interpreter === '' ? await selectedPython() : undefined,
    searchPath: process.env['PATH'] ?? '',
    home: os.homedir(),
    distrusted: trusted ? [] : folders,
  };
  return findPython(places, (command) => versionOf(command, context.extensionPath));
}

/**
 * The server's command line. With `-I -S`, Python ignores environment variables and leaves user and site packages and
 * the working directory off its path: only the standard library and the bundled packages can be imported.
 */
export function serverCommand(context: vscode.ExtensionContext, python: string): Command {
  const launcher = path.join(context.extensionPath, 'bundled', 'run_server.py');
  return { command: python, args: ['-I', '-S', launcher], cwd: context.extensionPath };
}

/** Report that no Python was found, and help to choose one. True if the user chose one. */
export async function offerInterpreter(found: Found & { kind: 'missing' }): Promise<boolean> {
  const choose = vscode.l10n.t('Choose Interpreter…');
  const settings = vscode.l10n.t('Open Settings');
  const chosen = await notify('error', explain(found), choose, settings);
  if (chosen === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.interpreter`);
  }
  return chosen === choose && chooseInterpreter();
}

function explain({ tried, configured }: Found & { kind: 'missing' }): string {
  if (configured) {
    return vscode.l10n.t(
      'agentfs needs Python {0} or newer. The interpreter in the setting agentfs.interpreter does not meet this requirement: {1}',
      MIN_VERSION_TEXT,
      tried.map(describe).join(', ') || vscode.l10n.t('not found'),
    );
  }
  if (tried.length === 0) {
    return vscode.l10n.t('agentfs needs Python {0} or newer. None was found.', MIN_VERSION_TEXT);
  }
  return vscode.l10n.t(
    'agentfs needs Python {0} or newer. Found: {1}',
    MIN_VERSION_TEXT,
    tried.map(describe).join(', '),
  );
}

function describe({ command, version }: Candidate): string {
  return version ? `${command} (${version.join('.')})` : vscode.l10n.t('{0} (does not run)', command);
}

async function chooseInterpreter(): Promise<boolean> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('A Python of version {0} or newer', MIN_VERSION_TEXT),
      openLabel: vscode.l10n.t('Choose'),
      defaultUri: vscode.Uri.file('/usr/bin'),
    })) ?? [];
  if (file === undefined) {
    return false;
  }
  const section = vscode.workspace.getConfiguration(SECTION);
  await section.update('interpreter', file.fsPath, vscode.ConfigurationTarget.Global);
  return true;
}

/** The Python extension's interpreter; undefined if the extension is missing, has none, or takes too long. */
async function selectedPython(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (extension === undefined) {
    return undefined;
  }
  const patience = new Promise<undefined>((resolve) => setTimeout(resolve, 5000, undefined));
  return Promise.race([askPythonExtension(extension), patience]).catch(() => undefined);
}

async function askPythonExtension(extension: vscode.Extension<PythonApi>): Promise<string | undefined> {
  const { environments } = extension.isActive ? extension.exports : await extension.activate();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const resolved = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return resolved?.executable?.uri?.fsPath;
}
