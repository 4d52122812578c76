/** Tells whether users still wait for what they asked for; only then may it take the focus. */
import * as vscode from 'vscode';
import { notify } from '../util/window';
import { caughtUp } from '../util/caughtUp';

/** Nobody moves on to something else this fast, and no API reports keys in the search or a terminal. */
const SOON_MS = 300;

/** If what follows a decision is there within this time, the user is still here to see it. */
const FOLLOWS_MS = 200;

/** Call it once. */
export type IsWaiting = () => Promise<boolean>;

/** The user asks for something. Once it is there, the result tells whether that took no time, and nothing else was done since. */
export function userWaits(): IsWaiting {
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
  return async () => {
    clearTimeout(timer);
    await caughtUp(); // the press itself may have come late
    const stillWaits = isWaiting;
    stop();
    return stillWaits;
  };
}

/** Whether what follows a decision becomes true so soon that the user is still here to see it. */
export function soon(coming: Promise<boolean>): Promise<boolean> {
  return Promise.race([coming, new Promise<false>((resolve) => setTimeout(resolve, FOLLOWS_MS, false))]);
}

/** Whether a question may open, which would take the focus. If the user has moved on, offers it in a notification. */
export function mayAsk(question: string, isWaiting = userWaits()): Promise<boolean> {
  const text = vscode.l10n.t('Nothing was decided because the question came too late: {0}', question);
  return mayOpen(isWaiting, text, vscode.l10n.t('Ask Again'));
}

/** Open a diff if the user still waits for it. Otherwise offer it with the button `show`, as it would take the focus. */
export async function openAwaited(isWaiting: IsWaiting, names: string, show: string, open: () => Thenable<unknown>): Promise<void> {
  if (await mayOpen(isWaiting, vscode.l10n.t('The diff of {0} is ready.', names), show)) {
    await open();
  }
}

/** The user may move on after the press in a notification, too: then it is offered again. */
async function mayOpen(isWaiting: IsWaiting, offer: string, button: string): Promise<boolean> {
  for (let isAwaited = isWaiting; !(await isAwaited()); isAwaited = userWaits()) {
    if ((await notify('information', offer, button)) === undefined) {
      return false;
    }
  }
  return true;
}
