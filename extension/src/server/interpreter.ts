/**
 * How the server comes to run: which Python, with which arguments, and what the user is told where there is
 * none. In a workspace that is not trusted nothing of it has a say.
 */
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { SECTION, type Settings } from './settings';
import { notify } from '../util/window';
import type { Command } from './process';
import { findPython, LEAST, versionOf, type Candidate, type Found } from './python';

const LEAST_TEXT = LEAST.join('.');

/** The part of the Python extension's API that is used. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Look for a Python by the setting, the Python extension, and the PATH, in this order. */
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
 * The server's command line. `-I -S`: no variables, no user's and no site's packages, no working directory on
 * the path: the standard library and what is bundled is all there is to import.
 */
export function serverCommand(context: vscode.ExtensionContext, python: string): Command {
  const launcher = path.join(context.extensionPath, 'bundled', 'run_server.py');
  return { command: python, args: ['-I', '-S', launcher], cwd: context.extensionPath };
}

/** Say that there is no Python, and help to choose one. True when one was chosen. */
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
      LEAST_TEXT,
      tried.map(describe).join(', ') || vscode.l10n.t('not found'),
    );
  }
  if (tried.length === 0) {
    return vscode.l10n.t('agentfs needs Python {0} or newer. None was found.', LEAST_TEXT);
  }
  return vscode.l10n.t(
    'agentfs needs Python {0} or newer. Found: {1}',
    LEAST_TEXT,
    tried.map(describe).join(', '),
  );
}

function describe({ command, version }: Candidate): string {
  return version ? `${command} (${version.join('.')})` : vscode.l10n.t('{0} (does not run)', command);
}

async function chooseInterpreter(): Promise<boolean> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('A Python of version {0} or newer', LEAST_TEXT),
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

/** What the Python extension runs; undefined where it is missing, slow to tell, or has none. */
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
