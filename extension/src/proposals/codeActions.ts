/**
 * Runs the editor's own formatter and code actions on a document in which an accepted change has landed, before it is
 * saved: like those that VS Code runs on save, they are the user's edits, and the server reports the difference.
 */
import * as vscode from 'vscode';
import { SECTION } from '../server/settings';
import { findDocument } from './applyEdits';

/** The code action kind that stands for the document's formatter. */
const FORMAT = 'format';
/** How long they may take together; the server waits for the save for `save_timeout_s`. */
const LIMIT_MS = 4000;
/** At most so many code actions are resolved of a kind. */
const MOST = 20;

/** Run what `agentfs.onAccept.codeActions` names, in this order. What fails, or takes too long, changes nothing. */
export async function runOnAccept(uri: string): Promise<void> {
  const kinds: unknown = vscode.workspace.getConfiguration(SECTION).get('onAccept.codeActions');
  const document = findDocument(uri);
  if (!Array.isArray(kinds) || document === undefined) {
    return;
  }
  const until = performance.now() + LIMIT_MS;
  for (const kind of kinds.filter((one) => typeof one === 'string')) {
    await run(document, kind, until).catch(() => undefined);
  }
}

async function run(document: vscode.TextDocument, kind: string, until: number): Promise<void> {
  const { version } = document;
  const found = await within(until, kind === FORMAT ? formatted(document) : edits(document, kind));
  if (found !== undefined && found.length > 0 && document.version === version && !document.isClosed) {
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, found);
    await vscode.workspace.applyEdit(edit);
  }
}

async function formatted(document: vscode.TextDocument): Promise<vscode.TextEdit[]> {
  const found = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
    'vscode.executeFormatDocumentProvider',
    document.uri,
    optionsOf(document),
  );
  return found ?? [];
}

/** The indentation of the text, which VS Code tells only of documents in view, or else as the settings say. */
function optionsOf(document: vscode.TextDocument): vscode.FormattingOptions {
  const editor = vscode.workspace.getConfiguration('editor', document);
  const options = { tabSize: editor.get('tabSize', 4), insertSpaces: editor.get('insertSpaces', true) };
  const [indent] = /^(?:\t| {1,8}(?=[^ \t]))/m.exec(document.getText()) ?? [];
  if (indent === undefined || !editor.get('detectIndentation', true)) {
    return options;
  }
  return indent === '\t' ? { ...options, insertSpaces: false } : { tabSize: indent.length, insertSpaces: true };
}

/** The edits of the first code action of this kind that changes no other file and runs no command. */
async function edits(document: vscode.TextDocument, kind: string): Promise<vscode.TextEdit[]> {
  const whole = document.validateRange(new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0));
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    'vscode.executeCodeActionProvider',
    document.uri,
    whole,
    kind,
    MOST,
  );
  const own = (actions ?? []).filter(({ edit, command }) => {
    const [only, ...others] = edit?.entries() ?? [];
    return command === undefined && others.length === 0 && only?.[0].toString() === document.uri.toString();
  });
  return own[0]?.edit?.get(document.uri) ?? [];
}

async function within<T>(until: number, work: Thenable<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, until - performance.now()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
