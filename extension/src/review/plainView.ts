/**
 * Shows all differences of files beside their review when the diff editor may leave some out. Every line is wrapped,
 * invisible characters appear as codes, and no setting or theme of the workspace changes its colors, font and size.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { asHtml, shownAsCodes, visible } from '../util/display';
import { hunks } from '../util/text';
import { areNotificationsAtTop } from '../util/window';
import { FREE_PART } from './rows';
import { draftIn, isLandedTab, isReviewTab, plainViewOf, tabInFront } from './tabs';

/** A file with both texts, with `\n` line ends. `why`: why the diff editor may not show everything, if so. */
export interface PlainFile {
  uri: vscode.Uri;
  path: string;
  why: string | undefined;
  base: string;
  now: string;
}

/** How long it must be on the screen before it counts as seen; until then a key may still be held. */
const MOMENT_MS = 700;

/** How many unchanged UTF-16 units to show before and after a changed passage. */
const CONTEXT = 200;

const STYLE = `
  body { background: #fff; color: #000; margin: 0; padding: 0; font: 13px/1.5 sans-serif; }
  main { box-sizing: border-box; overflow-y: auto; padding: 0 1em; }
  h1 { font-size: 14px; overflow-wrap: anywhere; }
  pre {
    margin: 0; padding-left: 8ch; text-indent: -8ch; font: 13px/1.5 Consolas, Menlo, 'DejaVu Sans Mono', monospace;
    white-space: pre-wrap; overflow-wrap: anywhere; word-break: break-all; color: #000;
  }
  pre::before { content: attr(data-line); display: inline-block; width: 8ch; text-indent: 0; color: #555; }
  pre.old { background: #ffe3e0; }
  pre.new { background: #ddf8e0; }
  hr { border: 0; border-top: 1px solid #999; }
  b { font-weight: normal; background: #000; color: #fff; }
  i { font-style: normal; color: #595959; }
  del, ins { text-decoration: none; }
  mark { background: #ffd54d; color: #000; }
`;


/** The window's zoom levels; each is 1.2 times as large as the one before. */
const ZOOM = { least: -8, most: 8, step: 1.2 };

export class PlainView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** The review that it shows. */
  private id = '';
  /** The texts that it shows, by URI. */
  private texts = new Map<string, string>();
  /** What the page posts when it is drawn: on `show`, and when the user comes back to its tab. */
  private mark = '';
  /** Since when the texts have been on the screen. */
  private since: number | undefined;

  /** Whether all differences of this version of the file have been on the screen long enough. */
  hasShown({ uri, now }: PlainFile): boolean {
    return (
      this.texts.get(uri.toString()) === now && this.since !== undefined && performance.now() - this.since >= MOMENT_MS
    );
  }

  /** Show the differences of a review's files beside the active editor, which keeps the focus. False if already shown. */
  show(id: string, files: readonly PlainFile[]): boolean {
    const isSame = this.panel?.visible === true && files.every(({ uri, now }) => this.texts.get(uri.toString()) === now);
    if (isSame) {
      this.lookAgain(); // a held key must not get past it
      return false;
    }
    this.closeOthers(id);
    const { webview } = this.opened(id);
    this.texts = new Map(files.map(({ uri, now }) => [uri.toString(), now]));
    this.since = undefined;
    this.mark = randomBytes(16).toString('hex');
    webview.html = pageOf(files, this.mark);
    return true;
  }

  /** It counts as seen only a moment from now. */
  lookAgain(): void {
    this.since &&= performance.now();
  }

  /** The review with that id has ended. */
  close(id: string): void {
    if (this.id === id) {
      this.dispose();
    }
  }

  /** The review with that id has opened: what is shown of another one must not be taken for it. */
  closeOthers(id: string): void {
    if (this.id !== id) {
      this.dispose();
    }
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private opened(id: string): vscode.WebviewPanel {
    if (this.panel !== undefined) {
      this.panel.reveal(undefined, true);
      return this.panel;
    }
    keepFront();
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
    const panel = vscode.window.createWebviewPanel(plainViewOf(id), vscode.l10n.t('All Changes'), where, options);
    const listeners = vscode.Disposable.from(
      panel.webview.onDidReceiveMessage((message) => {
        this.since = message === this.mark && panel.visible ? performance.now() : this.since;
      }),
      panel.onDidChangeViewState(() => {
        this.since = panel.visible ? this.since : undefined;
      }),
      panel.onDidDispose(() => {
        listeners.dispose();
        this.panel = undefined;
        this.since = undefined;
      }),
    );
    this.panel = panel;
    this.id = id;
    return panel;
  }
}

/**
 * Pin the review in front if VS Code would close it to make room, as the user wants only one editor open at a time. VS Code
 * takes both calls in their order.
 */
function keepFront(): void {
  const limit = vscode.workspace.getConfiguration('workbench.editor.limit');
  const tab = tabInFront();
  const isOurs = tab !== undefined && (isReviewTab(tab) || isLandedTab(tab) || draftIn(tab) !== undefined);
  if (isOurs && limit.get('enabled') === true && limit.get('value', 2) < 2) {
    void vscode.commands.executeCommand('workbench.action.pinEditor');
  }
}

/** The page posts `mark` once it is drawn, which happens only while it is visible. */
function pageOf(files: readonly PlainFile[], mark: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${mark}'; script-src 'nonce-${mark}'`;
  const script = `const code = acquireVsCodeApi();
    requestAnimationFrame(() => requestAnimationFrame(() => code.postMessage('${mark}')));`;
  return `<!DOCTYPE html><html lang="${vscode.env.language}"><head><meta charset="utf-8"><title>${vscode.l10n.t('All Changes')}</title>
    <meta http-equiv="Content-Security-Policy" content="${policy}"><style nonce="${mark}">${STYLE} html { zoom: ${ownZoom()} } ${uncovered()}</style></head>
    <body><main tabindex="0">${files.map(sectionOf).join('')}</main><script nonce="${mark}">${script}</script></body></html>`;
}

/** Where the page shows its text: not beneath notifications. */
function uncovered(): string {
  const uncoveredVh = 100 * FREE_PART;
  const height = `calc(${uncoveredVh}vh / ${ownZoom()})`;
  return `main { height: ${height}; margin-top: ${areNotificationsAtTop() ? `calc(${100 - uncoveredVh}vh / ${ownZoom()})` : 0} }`;
}

/** How much larger than the window's zoom is what the user has set, if the workspace sets another one. */
function ownZoom(): number {
  const { globalValue: own = 0, workspaceValue: now = own } = vscode.workspace.getConfiguration('window').inspect<number>('zoomLevel') ?? {};
  const [wanted, given] = [own, now].map((level) => Math.min(Math.max(level, ZOOM.least), ZOOM.most)) as [number, number];
  return ZOOM.step ** (wanted - given);
}

function sectionOf({ path, why, base, now }: PlainFile): string {
  const rows = hunks(base === '' ? [] : base.split('\n'), now === '' ? [] : now.split('\n')).map(({ start, removed, added }) => {
    const isPaired = removed.length === added.length;
    // Screen readers tell these two apart, too.
    const side = (element: 'del' | 'ins', of: string, sign: string, first: number, lines: readonly string[], others: readonly string[]): string =>
      lines
        .map((line, at) => {
          const text = marked(line, isPaired ? others[at] : undefined);
          return `<pre class="${of}" data-line="${sign}${first + at + 1}"><${element}>${text}</${element}></pre>`;
        })
        .join('');
    return side('del', 'old', '−', start.before, removed, added) + side('ins', 'new', '+', start.after, added, removed);
  });
  return `<h1>${asHtml(visible(path))}</h1><p>${asHtml(why ?? '')}</p>${rows.join('<hr>')}`;
}

/** A line as HTML. Marks what differs from `other`, and shortens the rest. */
function marked(line: string, other?: string): string {
  if (other === undefined) {
    return withEnds(line, 0, line.length, 0, 0);
  }
  const shorter = Math.min(line.length, other.length);
  let from = 0;
  while (from < shorter && line[from] === other[from]) {
    from += 1;
  }
  let to = line.length;
  while (to > from && other.length - (line.length - to) > from && line[to - 1] === other[other.length - (line.length - to) - 1]) {
    to -= 1;
  }
  const first = Math.max(0, from - CONTEXT);
  const last = Math.min(line.length, to + CONTEXT);
  return same(first) + withEnds(line, first, last, from, to) + same(line.length - last);
}

/** Stands for so many UTF-16 units that both texts share. */
function same(units: number): string {
  return units === 0 ? '' : `<i>${asHtml(vscode.l10n.t('… {0} characters are the same …', units))}</i>`;
}

/** A line from `first` to `last` as HTML, marked between `from` and `to`. Shows whitespace at the line's ends. */
function withEnds(line: string, first: number, last: number, from: number, to: number): string {
  const start = line.length - line.trimStart().length;
  const end = Math.max(start, line.trimEnd().length);
  const inside = [start, from, to, end].filter((cut) => cut > first && cut < last).sort((one, next) => one - next);
  const cuts = [first, ...inside, last];
  return cuts
    .slice(1)
    .map((cut, at) => {
      const begin = cuts[at] ?? 0;
      const text = drawn(line.slice(begin, cut), begin < start || begin >= end);
      return begin >= from && begin < to ? `<mark>${text}</mark>` : text;
    })
    .join('');
}

/** Text as HTML, with codes for invisible characters; at the ends of a line (`isEnd`) blanks are shown, too. */
function drawn(text: string, isEnd: boolean): string {
  const html = shownAsCodes(asHtml(text), (codes) => (codes === '\\u{9}' ? '<i>→</i>\t' : `<b>${codes}</b>`));
  return isEnd ? html.replaceAll(' ', '<i>·</i>') : html;
}
