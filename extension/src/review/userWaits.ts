/** Tells whether users still wait for what they asked for; only then may it take the focus. */
import * as vscode from 'vscode';
import { notify } from '../util/window';

/** Nobody moves on to something else this fast, and no API reports keys in the search or a terminal. */
const SOON_MS = 300;

/** The user asks for something. The returned function tells whether that is recent, and nothing else was done since. */
export function userWaits(): () => boolean {
  let isWaiting = true;
  const stop = (): void => {
    isWaiting = false;
    clearTimeout(timer);
    listener.dispose();
  };
  const timer = setTimeout(stop, SOON_MS);
  const listener = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
    const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;
    if (kind === Keyboard || kind === Mouse) {
      stop();
    }
  });
  return () => isWaiting;
}

/** Open a diff if the user still waits for it. Otherwise offer it with the button `show`, as it would take the focus. */
export async function openAwaited(isWaiting: () => boolean, names: string, show: string, open: () => Thenable<unknown>): Promise<void> {
  if (isWaiting() || (await notify('information', vscode.l10n.t('The diff of {0} is ready.', names), show)) !== undefined) {
    await open();
  }
}
