/**
 * Tells the server what other programs, such as language servers, say about files that agents change: before a change
 * lands and after it. The server compares them.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { DiagnosticsParams, DiagnosticsResult, FoundDiagnostic, LandingParams } from '../protocol/types';

const QUIET_MS = 150; // programs that look at a file often report in several steps
const MOST_OF_FILE = 200;
const MOST_LANDINGS = 64;
const LONGEST_MESSAGE = 1000;

interface Landing {
  readonly before: ReadonlyMap<string, FoundDiagnostic[]>;
  /** When diagnostics of its files changed last. */
  changedAt: number | undefined;
  wake: () => void;
}

export class FoundDiagnostics implements vscode.Disposable {
  private readonly landings = new Map<string, Landing>();
  /** The kinds of files, by the ends of their names, that some program has said something about. */
  private readonly watched = new Set<string>();
  private listening: vscode.Disposable | undefined;

  listen(): void {
    this.listening ??= vscode.languages.onDidChangeDiagnostics(({ uris }) => this.changed(uris));
  }

  dispose(): void {
    this.listening?.dispose();
    this.listening = undefined;
    this.landings.clear();
  }

  /** A change is about to land. */
  landing({ id, uris }: LandingParams): void {
    const before = new Map(uris.map((uri) => [uri, found(uri)]));
    this.landings.set(id, { before, changedAt: undefined, wake: () => undefined });
    for (const oldest of [...this.landings.keys()].slice(0, -MOST_LANDINGS)) {
      this.landings.delete(oldest);
    }
  }

  /** It has landed. Waits only if some program looks at such files. */
  async since({ id, uris, wait_ms }: DiagnosticsParams, token: vscode.CancellationToken): Promise<DiagnosticsResult> {
    const landing = this.landings.get(id);
    if (landing === undefined) {
      return { files: [] };
    }
    if (uris.some((uri) => this.watched.has(kindOf(uri)) || isChecked(uri))) {
      await settled(landing, performance.now() + wait_ms, token);
    }
    this.landings.delete(id);
    const told = uris.map((uri) => ({ uri, before: landing.before.get(uri), after: found(uri) }));
    return { files: told.flatMap(({ before, ...file }) => (before === undefined ? [] : [{ ...file, before }])) };
  }

  private changed(uris: readonly vscode.Uri[]): void {
    const files = new Set(uris.filter(({ scheme }) => scheme === 'file').map(String));
    files.forEach((uri) => this.watched.add(kindOf(uri)));
    for (const landing of this.landings.values()) {
      if ([...landing.before.keys()].some((uri) => files.has(vscode.Uri.parse(uri).toString()))) {
        landing.changedAt = performance.now();
        landing.wake();
      }
    }
  }
}

/** Resolves once the diagnostics have changed and have been the same for a moment, or at `deadline`. */
async function settled(landing: Landing, deadline: number, token: vscode.CancellationToken): Promise<void> {
  for (;;) {
    const { changedAt } = landing;
    const until = changedAt === undefined ? deadline : Math.min(deadline, changedAt + QUIET_MS);
    const left = until - performance.now();
    if (left <= 0 || token.isCancellationRequested) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      const cancelled = token.onCancellationRequested(() => landing.wake());
      landing.wake = () => {
        clearTimeout(timer);
        cancelled.dispose();
        resolve();
      };
    });
  }
}

function found(uri: string): FoundDiagnostic[] {
  const severities: Partial<Record<vscode.DiagnosticSeverity, FoundDiagnostic['severity']>> = {
    [vscode.DiagnosticSeverity.Error]: 'error',
    [vscode.DiagnosticSeverity.Warning]: 'warning',
  };
  return vscode.languages
    .getDiagnostics(vscode.Uri.parse(uri))
    .flatMap(({ range, message, severity, source = '' }) => {
      const named = severities[severity];
      const told = { line: range.start.line + 1, message: message.slice(0, LONGEST_MESSAGE), source };
      return named === undefined || source === 'agentfs' ? [] : [{ ...told, severity: named }];
    })
    .slice(0, MOST_OF_FILE);
}

/** Whether the file is open, and an extension that is active was activated by its language: it may report on it. */
function isChecked(uri: string): boolean {
  const document = findDocument(uri);
  return vscode.extensions.all.some(({ isActive, packageJSON }) => {
    const { activationEvents } = packageJSON as { activationEvents?: unknown };
    return isActive && Array.isArray(activationEvents) && activationEvents.includes(`onLanguage:${document?.languageId}`);
  });
}

function kindOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  return name.slice(Math.max(name.lastIndexOf('.'), 0));
}
