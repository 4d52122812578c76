/** Whether users still wait for what they have asked for, which may take the keys then. */
import * as vscode from 'vscode';

/** Nobody goes on to something else so soon. Not all of it could be heard: no API tells of keys in the search or a terminal. */
const SOON_MS = 300;

/** The user asks for something now. What is returned tells, later, whether they have done nothing else since, and not long. */
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
