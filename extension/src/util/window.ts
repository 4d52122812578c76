/**
 * Everything that the extension says in VS Code's own words and boxes: notifications, questions, the status bar, and
 * hovers. No other module calls these parts of the API (eslint.config.mjs), as VS Code makes links and icons of what
 * is passed to them, and file names, agents' words, and the server's answers are in most of it. Tooltips that are
 * strings and the labels of trees show text as it is.
 */
import * as vscode from 'vscode';
import { asMarkdown, visible, withoutMarkup } from './display';

export type Severity = 'error' | 'warning' | 'information';

/** Show a notification; the button that was pressed, undefined where it was dismissed. */
export async function notify(severity: Severity, message: string, ...buttons: string[]): Promise<string | undefined> {
  const titles = buttons.map(withoutMarkup);
  const chosen = await SHOW[severity](withoutMarkup(message), ...titles);
  return chosen === undefined ? undefined : buttons[titles.indexOf(chosen)];
}

const SHOW: Readonly<
  Record<Severity, (message: string, ...buttons: string[]) => Thenable<string | undefined>>
> = {
  error: (message, ...buttons) => vscode.window.showErrorMessage(message, ...buttons),
  warning: (message, ...buttons) => vscode.window.showWarningMessage(message, ...buttons),
  information: (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
};

/**
 * An answer that comes sooner nobody has thought of: the key is still held that opened the question. A held key begins to
 * repeat after a second at most, but for the slowest setting of some systems.
 */
const MOMENT_MS = 1000;

/** Presses that follow one another faster are one key that is held. */
const REPEAT_MS = 250;

/** What was pressed in the dialog that `show` opens; it comes again until there was time to see it. */
async function answerTo(show: () => Thenable<string | undefined>): Promise<string | undefined> {
  for (;;) {
    const shownAt = Date.now();
    const chosen = await show();
    if (chosen === undefined || Date.now() - shownAt >= MOMENT_MS) {
      return chosen;
    }
  }
}

/** Ask in a modal dialog; `details` stand below the question, one a line. Whether `yes` was pressed. */
export async function confirm(question: string, details: readonly string[], yes: string): Promise<boolean> {
  const options = { modal: true, detail: details.map(withoutMarkup).join('\n') };
  const chosen = await answerTo(() => vscode.window.showWarningMessage(withoutMarkup(question), options, yes));
  return chosen === yes;
}

/**
 * Have one of `titles` chosen in a modal dialog, which shows in Do Not Disturb, too; undefined where it was left. Enter
 * chooses the first. `details` stand below the question, one a line.
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
 * Ask for a line of text that may be empty; undefined where the user left the box. Enter in an empty box counts when no
 * other press is just before or after it, and not at once: it may be the key that opened the box. Whoever types has seen
 * the box.
 */
export function askText(texts: { title: string; prompt: string; placeHolder: string }): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = withoutMarkup(texts.title);
  box.prompt = withoutMarkup(texts.prompt);
  box.placeholder = withoutMarkup(texts.placeHolder);
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    let pressedAt = Date.now();
    let answering: NodeJS.Timeout | undefined;
    const answer = (): void => {
      resolve(box.value);
      box.hide();
    };
    box.onDidAccept(() => {
      clearTimeout(answering);
      const isHasty = Date.now() - pressedAt < MOMENT_MS;
      pressedAt = Date.now();
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

const PASSING_MS = 8000;

/** Say it in the status bar, where it interrupts nobody, for a few seconds. */
export function showStatusMessage(message: string): void {
  vscode.window.setStatusBarMessage(`$(info) ${withoutMarkup(message)}`, PASSING_MS);
}

/** What an item of the status bar shows. `icon` is the name of one of VS Code's icons. */
export interface StatusLook {
  icon: string;
  text: string;
  tooltip: string;
  command: string | vscode.Command | undefined;
  /** A colour of the theme for the background. */
  colour?: string;
}

/** An item of the status bar; those of a higher `priority` stand further left. */
export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;

  /** `name`: what the status bar's menu calls it. */
  constructor(id: string, name: string, priority: number) {
    this.item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
    this.item.name = name;
  }

  show({ icon, text, tooltip, command, colour }: StatusLook): void {
    this.item.text = `$(${icon}) ${withoutMarkup(text)}`;
    this.item.tooltip = withoutMarkup(tooltip);
    this.item.command = command;
    this.item.backgroundColor = colour === undefined ? undefined : new vscode.ThemeColor(colour);
    this.item.accessibilityInformation = { label: visible(tooltip), role: 'button' };
    this.item.show();
  }

  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
  }
}

/** Markdown that shows these lines as they are, for where VS Code takes no plain text. Empty ones are left out. */
export function plainMarkdown(lines: readonly string[]): vscode.MarkdownString {
  return new vscode.MarkdownString(lines.filter((line) => line !== '').map(asMarkdown).join('\n\n'));
}
