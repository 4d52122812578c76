/** Tells the server how the editor would open and create files: `files.encoding`, by folder and language. */
import * as vscode from 'vscode';
import { associationsOf, BUILT_IN, rulesFor, usersAssociations, type ContributedLanguage } from './encodingRules';
import type { FileEncodings } from '../protocol/types';
import { notify } from '../util/window';

/** The encoding of VS Code that Python doesn't know. The server takes it for UTF-8. */
const UNKNOWN = 'koi8ru';

const SETTINGS = ['files.encoding', 'files.associations'];

/** Calls `send` when they differ from those last sent. */
export class FileEncodingsNotifier implements vscode.Disposable {
  private told = '';
  private listeners: vscode.Disposable[] = [];

  constructor(private readonly send: (encodings: FileEncodings) => void) {}

  /** A new connection begins: nothing has been sent on it yet. */
  listen(): void {
    this.dispose();
    this.told = JSON.stringify({ folders: [] });
    const tell = (): void => this.tell();
    this.listeners = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (SETTINGS.some((key) => event.affectsConfiguration(key))) {
          tell();
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(tell),
      vscode.extensions.onDidChange(tell),
    ];
    tell();
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
    this.listeners = [];
  }

  private tell(): void {
    const encodings = encodingsNow();
    const written = JSON.stringify(encodings);
    if (written !== this.told) {
      this.told = written;
      this.send(encodings);
      if (encodings.folders.some(({ rules }) => rules.some(({ encoding }) => encoding === UNKNOWN))) {
        void notify('warning', vscode.l10n.t(
          'agentfs does not support the encoding {0} of the setting files.encoding. It treats files that are not open as UTF-8.',
          UNKNOWN,
        ));
      }
    }
  }
}

function encodingsNow(): FileEncodings {
  const folders = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => {
    const rules = uri.scheme === 'file' ? rulesIn(uri) : [];
    return rules.length > 0 ? [{ uri: uri.toString(), rules }] : [];
  });
  return { folders };
}

function rulesIn(folder: vscode.Uri): FileEncodings['folders'][number]['rules'] {
  const settings = vscode.workspace.getConfiguration('files', folder);
  const languages = settings.inspect('encoding')?.languageIds ?? [];
  const ofLanguage = new Map(
    languages.map((languageId) => [languageId, encodingIn({ uri: folder, languageId })] as const),
  );
  const associations = [...contributedAssociations(), ...usersAssociations(settings.get('associations'))];
  return rulesFor(encodingIn(folder), ofLanguage, associations);
}

function encodingIn(scope: vscode.ConfigurationScope): string {
  return vscode.workspace.getConfiguration('files', scope).get<string>('encoding', 'utf8');
}

function contributedAssociations(): ReturnType<typeof associationsOf> {
  const contributed = vscode.extensions.all.flatMap(({ packageJSON }) => {
    const { contributes } = packageJSON as { contributes?: { languages?: ContributedLanguage[] } };
    return Array.isArray(contributes?.languages) ? contributes.languages : [];
  });
  return associationsOf([...BUILT_IN, ...contributed]);
}
