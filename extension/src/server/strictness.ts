/**
 * Makes this window stricter than the user's settings. Auto mode that the user has ended stays off across server
 * restarts and window reloads, and in all windows on the folder, until the user resumes it or changes the setting. In a
 * workspace that is not trusted, every change is reviewed. Where VS Code allows no telemetry, the server has none.
 */
import * as vscode from 'vscode';
import { EndedFolders } from './endedFolders';
import { SECTION, type Limits } from './settings';

const KEY = 'approval.mode';
const MEMORY = 'autoModeEnded';

/** Where it is remembered: by folder in files of `everywhere`; in `here` for a window without a folder. */
export interface Memories {
  everywhere: string;
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
  private readonly folders: EndedFolders;
  /** Whether it was remembered when last looked. */
  private wasRemembered: boolean;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly memories: Memories) {
    this.folders = new EndedFolders(memories.everywhere, () => this.look());
    this.wasRemembered = this.isRemembered();
    if (isAutoConfigured() && this.wasRemembered) {
      void this.remember(true);
    }
    this.listeners = [
      this.folders,
      this.changed,
      vscode.workspace.onDidChangeConfiguration(() => this.configurationChanged()),
      vscode.window.onDidChangeWindowState(() => this.look()), // where nothing can be watched, such as on some networks
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        if (isAutoConfigured() && (this.isAutoEnded || this.isRemembered())) {
          void this.remember(true);
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
      vscode.env.onDidChangeTelemetryEnabled(() => this.changed.fire()),
    ];
  }

  get now(): Limits {
    const isTelemetryAllowed = vscode.env.isTelemetryEnabled;
    return { isAutoEnded: this.isAutoEnded, isTrusted: vscode.workspace.isTrusted, isTelemetryAllowed };
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

  private configurationChanged(): void {
    const before = this.configured;
    this.configured = configuredMode();
    if (this.configured === before) {
      return;
    }
    if (isAutoConfigured()) {
      void this.remember(false);
    } else {
      this.become(false); // it stays remembered: for a moment, the setting of other windows is still what it was
    }
  }

  /** Another window may have ended or resumed auto mode. What could not be stored stays ended. */
  private look(): void {
    const isRemembered = this.isRemembered();
    if (isRemembered !== this.wasRemembered) {
      this.wasRemembered = isRemembered;
      this.become(isRemembered && isAutoConfigured());
    }
  }

  private isRemembered(): boolean {
    return folders().some((folder) => this.folders.has(folder)) || this.memories.here.get(MEMORY) === true;
  }

  private become(isEnded: boolean): void {
    if (this.isAutoEnded !== isEnded) {
      this.isAutoEnded = isEnded;
      this.changed.fire();
    }
  }

  private async remember(isEnded: boolean): Promise<void> {
    const own = folders();
    this.become(isEnded);
    const here = this.memories.here.update(MEMORY, isEnded && own.length === 0);
    this.folders.set(own, isEnded);
    await here;
    this.wasRemembered = this.isRemembered();
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
