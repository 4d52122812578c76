/**
 * What is stricter in this window than the user's settings: auto mode that the user has ended, which stays ended across
 * restarts of the server and reloads of the window until the user resumes it or changes the setting, and workspaces
 * that are not trusted, in which every change is reviewed.
 */
import * as vscode from 'vscode';
import { SECTION, type Limits } from './settings';

const KEY = 'approval.mode';
const MEMORY = 'autoModeEnded';

/** More folders are not remembered; those of the longest ago go first. */
const MOST = 1000;

/** Where it is remembered: `everywhere` by folder, and in a window without a folder in `here`. */
export interface Memories {
  everywhere: vscode.Memento;
  here: vscode.Memento;
}

/**
 * Auto mode that was ended in one folder of the window is ended in all of them: with a folder more or less, or saved
 * as a workspace, VS Code takes the window for another workspace, with a memory of its own.
 */
export class Strictness implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private isAutoEnded = false;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly memories: Memories) {
    void this.remember(isAutoConfigured() && this.isRemembered());
    this.listeners = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${SECTION}.${KEY}`)) {
          void this.remember(false);
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.remember(this.isAutoEnded || this.isRemembered())),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
    ];
  }

  get now(): Limits {
    return { isAutoEnded: this.isAutoEnded, isTrusted: vscode.workspace.isTrusted };
  }

  /** The user ended auto mode; single sessions' alone needs no memory, as it ends with the server. */
  async endAuto(): Promise<void> {
    if (isAutoConfigured()) {
      await this.remember(true);
    }
  }

  /** What the setting says counts again. */
  async resumeAuto(): Promise<void> {
    await this.remember(false);
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private isRemembered(): boolean {
    const ended = this.ended();
    return folders().some((folder) => ended.includes(folder)) || this.memories.here.get(MEMORY) === true;
  }

  private ended(): readonly string[] {
    return this.memories.everywhere.get<readonly string[]>(MEMORY, []);
  }

  private async remember(isEnded: boolean): Promise<void> {
    const own = folders();
    const others = this.ended().filter((folder) => !own.includes(folder));
    const ended = [...others, ...(isEnded ? own : [])].slice(-MOST);
    const stored = [
      this.memories.everywhere.update(MEMORY, ended),
      this.memories.here.update(MEMORY, isEnded && own.length === 0),
    ];
    if (this.isAutoEnded !== isEnded) {
      this.isAutoEnded = isEnded;
      this.changed.fire();
    }
    await Promise.all(stored);
  }
}

function folders(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
}

function isAutoConfigured(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get(KEY) === 'auto_edit';
}
