/**
 * Wraps VS Code's notifications, dialogs, status bar, and hovers. VS Code interprets links and icons in these texts,
 * which often contain file names, agents' words, or the server's answers. So no other module may call these parts of
 * the API (eslint.config.mjs). Plain-string tooltips and tree labels are safe.
 */
import * as vscode from 'vscode';
import { caughtUp } from './caughtUp';
import { asMarkdown, changedHtml, visible, withoutMarkup } from './display';
import { LastMoment } from './lastMoment';
import { Standing } from './standing';

export type Severity = 'error' | 'warning' | 'information';

/** Show a notification. Returns the chosen button; undefined if dismissed. */
export function notify(severity: Severity, message: string, ...buttons: string[]): Promise<string | undefined> {
  return pressed(severity, message, buttons, (shownAt) => !went.isRecent(shownAt));
}

/** Show a notification whose buttons decide. A press doesn't count in the first moment either. */
export function ask(severity: Severity, message: string, ...buttons: string[]): Promise<string | undefined> {
  return pressed(severity, message, buttons, () => !came.isRecent() && !went.isRecent());
}

/** Notifications move when another one comes or goes: then a click on a button may have been meant for one that was there before. */
const came = new LastMoment(caughtUp);
const went = new LastMoment(caughtUp);
/**
 * Whether one of ours has just gone: a click on what it covered may have been meant for it. Nobody tells of others'. If both
 * come together, `pressed` hears of the first only once VS Code has told the second.
 */
export async function hasNotificationGone(): Promise<boolean> {
  await new Promise(setImmediate);
  return went.isRecent();
}

const whenInUse = (): Promise<void> | undefined => (vscode.window.state.focused ? undefined : new Promise((resolve) => {
  const listener = vscode.window.onDidChangeWindowState(({ focused }) => {
    if (focused) {
      listener.dispose();
      resolve();
    }
  });
}));
const standing = new Standing(whenInUse);
/** Whether one of ours may cover something. */
export const areNotificationsShown = (): boolean => standing.some;

/** More characters take more rows in a notification than those of which three fit below the free part of an editor. */
const TALL_CHARACTERS = 150;
const tall = new Standing(whenInUse);
/** Whether one of ours may cover more of an editor than usual, such as a question that names a long path. */
export const areTallNotificationsShown = (): boolean => tall.some;
let frontSince = -Infinity;
/** Another tab is in front: what has gone until now covered none of it. */
export function noteOtherInFront(): void {
  frontSince = performance.now();
}
/** Whether one of ours may cover some of the tab in front, or has a moment ago. */
export const mayNotificationsCover = (): boolean => standing.some || went.isRecent(frontSince);

/**
 * Notifications are on the screen, perhaps others', as a key was pressed: only the conditions of keys tell. Those under the
 * mouse, and those that the user has opened, stay for longer than `Standing` knows.
 */
export function noteNotifications(): void {
  setTimeout(standing.add(true), PRESS_MS);
}

/** By then it is decided whether a press counts. */
const PRESS_MS = 1000;

/**
 * Take all notifications, others' too, from what they cover, and close VS Code's list of them, in which they stay. `isSudden`: a
 * click may have been meant for one, and nobody has seen what is beneath yet.
 */
export function hideNotifications(isSudden: boolean): void {
  if (standing.some && isSudden) {
    void went.note();
  }
  standing.clear();
  tall.clear();
  void vscode.commands.executeCommand('notifications.hideToasts');
  void vscode.commands.executeCommand('notifications.hideList'); // which the user may have opened
}

/** Whether VS Code shows notifications at the top of the window. */
export function areNotificationsAtTop(): boolean {
  return vscode.workspace.getConfiguration('workbench.notifications').get<string>('position')?.startsWith('top') === true;
}

/** Show a notification, again and again until a press can have been meant for it: `isMeant`. */
async function pressed(
  severity: Severity,
  message: string,
  buttons: readonly string[],
  isMeant: (shownAt: number) => boolean,
): Promise<string | undefined> {
  const titles = buttons.map(withoutMarkup);
  for (;;) {
    const shownAt = performance.now();
    const answer = SHOW[severity](withoutMarkup(message), ...titles);
    void came.note();
    const stays = severity === 'error' && titles.length > 0;
    const isTall = titles.length > 0 && message.length > TALL_CHARACTERS; // without a button, VS Code shows one row of it
    const ends = [standing, ...(isTall ? [tall] : [])].map((each) => each.add(stays));
    const chosen = await answer;
    ends.forEach((end) => end());
    const counts = isMeant(shownAt);
    void went.note();
    if (chosen === undefined || counts) {
      return chosen === undefined ? undefined : buttons[titles.indexOf(chosen)];
    }
    showStatusMessage(vscode.l10n.t('Press again: the notification had just appeared.'));
  }
}

const SHOW: Readonly<
  Record<Severity, (message: string, ...buttons: string[]) => Thenable<string | undefined>>
> = {
  error: (message, ...buttons) => vscode.window.showErrorMessage(message, ...buttons),
  warning: (message, ...buttons) => vscode.window.showWarningMessage(message, ...buttons),
  information: (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
};

/**
 * An answer before this can't be meant: the key that opened the question is still held. A held key starts to repeat
 * within a second, except with the slowest setting of some systems.
 */
const MOMENT_MS = 1000;

/** Presses that follow each other faster come from one held key. */
const REPEAT_MS = 250;
const answered = new vscode.EventEmitter<void>();
/** Enter has answered a box, which closes next. */
export const onDidAnswer = answered.event;

/** Show a dialog, again and again until there was time to read it. Returns the answer. */
async function answerTo(show: () => Thenable<string | undefined>): Promise<string | undefined> {
  for (;;) {
    const shownAt = performance.now();
    const chosen = await show();
    if (chosen === undefined || performance.now() - shownAt >= MOMENT_MS) {
      return chosen;
    }
  }
}

/**
 * Ask in a modal dialog; `details` appear below the question, one per line. Returns whether `yes` was pressed. `no`: the
 * title of the other button, instead of Cancel.
 */
export async function confirm(question: string, details: readonly string[], yes: string, no?: string): Promise<boolean> {
  const options = { modal: true, detail: details.map(withoutMarkup).join('\n') };
  const buttons = [{ title: yes }, ...(no === undefined ? [] : [{ title: no, isCloseAffordance: true }])];
  const chosen = await answerTo(async () => (await vscode.window.showWarningMessage(withoutMarkup(question), options, ...buttons))?.title);
  return chosen === yes;
}

/**
 * Ask for a choice in a modal dialog, which appears in Do Not Disturb mode, too. Returns undefined if dismissed. Enter
 * chooses the first of `titles`. `details` appear below the question, one per line.
 */
export async function choose(
  question: string,
  titles: readonly string[],
  details: readonly string[] = [],
): Promise<string | undefined> {
  const shown = titles.map(withoutMarkup);
  const options = { modal: true, detail: details.map(withoutMarkup).join('\n') };
  const chosen = await answerTo(() =>
    vscode.window.showInformationMessage(withoutMarkup(question), options, ...shown),
  );
  return chosen === undefined ? undefined : titles[shown.indexOf(chosen)];
}

/**
 * Ask for a line of text, which may be empty; undefined if dismissed. Enter in an empty box may come from the key that
 * opened the box while it is still held. So it doesn't count at once, or with another press just before or after. Users
 * who have typed have seen the box.
 */
export function askText(texts: { title: string; prompt: string; placeHolder: string; value?: string }): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = withoutMarkup(texts.title);
  box.prompt = withoutMarkup(texts.prompt);
  box.placeholder = withoutMarkup(texts.placeHolder);
  box.value = texts.value ?? '';
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    let pressedAt = performance.now();
    let answering: NodeJS.Timeout | undefined;
    const answer = (): void => {
      resolve(box.value);
      answered.fire();
      box.hide();
    };
    box.onDidAccept(() => {
      clearTimeout(answering);
      const isHasty = performance.now() - pressedAt < MOMENT_MS;
      pressedAt = performance.now();
      if (box.value !== '') {
        answer();
      } else if (!isHasty) {
        answering = setTimeout(answer, REPEAT_MS);
      }
    });
    box.onDidHide(() => {
      clearTimeout(answering);
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}

/**
 * Show that something is being prepared which will take the focus: a box, which has the keys meanwhile. `isHeld`: whether
 * the user still waits, and has not left the box, or pressed a key in it. `release` closes it.
 */
export function hold(title: string, text: string): { isHeld: () => boolean; release: () => void } {
  const box = vscode.window.createQuickPick();
  let isHeld = true;
  const leave = (): void => {
    isHeld = false;
  };
  box.title = withoutMarkup(title);
  box.placeholder = withoutMarkup(text);
  box.busy = true;
  box.onDidChangeValue(leave);
  box.onDidAccept(leave);
  box.onDidHide(() => {
    leave();
    box.dispose();
  });
  box.show();
  return { isHeld: () => isHeld, release: () => box.hide() };
}

/**
 * Accompany `work` with a notification that stays until it is over. `say` replaces its text, and moves its bar on by
 * `percent`. The token is cancelled by its button.
 */
export function accompany<T>(
  title: string,
  work: (say: (message: string, percent: number) => void, stopped: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title: withoutMarkup(title), cancellable: true };
  const over = vscode.window.withProgress(options, (progress, stopped) =>
    work((message, increment) => progress.report({ message: withoutMarkup(message), increment }), stopped),
  );
  void came.note();
  const end = standing.add(true);
  return Promise.resolve(over).finally(() => {
    end();
    void went.note();
  });
}

const PASSING_MS = 8000;

export function listChanged(): string {
  return vscode.l10n.t('The list has just changed. Nothing was done. Try again.');
}

/** The appearance of a status bar item. `icon`: the name of a VS Code icon. */
export interface StatusLook {
  icon: string;
  text: string;
  tooltip: string;
  /** Lines below the tooltip. */
  list?: readonly string[];
  command: string | vscode.Command | undefined;
  /** The theme color of the background. */
  color?: string;
}

/** A status bar item; a higher `priority` is further left. */
export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  /** `name`: the item's name in the status bar's menu. */
  constructor(id: string, name: string, priority: number) {
    this.item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
    this.item.name = name;
  }

  show({ icon, text, tooltip, list = [], command, color }: StatusLook): void {
    this.item.text = `$(${icon}) ${withoutMarkup(text)}`;
    this.item.tooltip = [tooltip, ...list].map(withoutMarkup).join('\n');
    this.item.command = command;
    this.item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
    const label = [tooltip, ...list].map(visible).join(' ');
    this.item.accessibilityInformation = { label, role: command === undefined ? 'status' : 'button' };
    this.item.show();
  }

  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }
}

let passing: StatusItem | undefined;
let hiding: NodeJS.Timeout | undefined;

/**
 * Show a message in the status bar for a few seconds, where it doesn't interrupt. A narrow window shows about 60 characters
 * of it, its tooltip all; VS Code's own messages there have none.
 */
export function showStatusMessage(message: string): void {
  passing ??= new StatusItem('agentfs.message', vscode.l10n.t('agentfs: messages'), 9);
  passing.hide(); // for a moment: what is said again is seen to be
  passing.show({ icon: 'info', text: message, tooltip: message, command: undefined });
  clearTimeout(hiding);
  hiding = setTimeout(() => passing?.hide(), PASSING_MS);
}

/** Markdown that shows these lines literally, for places that don't accept plain text. Leaves out empty lines. */
export function plainMarkdown(lines: readonly string[]): vscode.MarkdownString {
  return new vscode.MarkdownString(lines.filter((line) => line !== '').map(asMarkdown).join('\n\n'));
}

/** Markdown that shows what is `said`, and below it lines that are `removed` and `added`, all literally. */
export function changedMarkdown(said: readonly string[], removed: readonly string[], added: readonly string[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(changedHtml(said, removed, added));
  markdown.supportHtml = true;
  return markdown;
}
