/**
 * Makes this window stricter than the user's settings. Auto mode that the user has ended stays off across server
 * restarts and window reloads, until the user resumes it or changes the setting. In a workspace that is not trusted,
 * every change is reviewed.
 */
import * as vscode from 'vscode';
import { SECTION, type Limits } from './settings';

const KEY = 'approval.mode';
const MEMORY = 'autoModeEnded';

/** How many folders to remember; the oldest are forgotten first. */
const MAX_FOLDERS = 1000;

/** Where it is remembered: in `everywhere` by folder; in `here` for a window without a folder. */
export interface Memories {
  everywhere: vscode.Memento;
  here: vscode.Memento;
}

/**
 * Ending auto mode ends it in all folders of the window. It is remembered by folder: once folders are added or removed,
 * or the workspace is saved, VS Code takes the window for another workspace with its own memory.
 */
export class Strictness implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private isAutoEnded = false;
  /** VS Code also reports changes of values that do not apply, such as a workspace's. */
  private configured = configuredMode();
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly memories: Memories) {
    void this.remember(isAutoConfigured() && this.isRemembered());
    this.listeners = [
      vscode.workspace.onDidChangeConfiguration(() => {
        const before = this.configured;
        this.configured = configuredMode();
        if (this.configured !== before) {
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

  /** The user ended auto mode. Remembers that of the setting; a session's auto mode ends with the server. */
  async endAuto(): Promise<void> {
    if (isAutoConfigured()) {
      await this.remember(true);
    }
  }

  /** The setting applies again. */
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
    const ended = [...others, ...(isEnded ? own : [])].slice(-MAX_FOLDERS);
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
  return configuredMode() === 'auto_edit';
}

function configuredMode(): unknown {
  return vscode.workspace.getConfiguration(SECTION).get(KEY);
}
