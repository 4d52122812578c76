/** The page with what agents did in numbers, as HTML: the numbers of `agentfs-lsp stats --json` (docs/operations.md). */
import { l10n } from 'vscode';
import type { Count, Share, SlowOperation, Statistics } from '../protocol/types';
import { asHtml, visible } from '../util/display';

/** What the user chose on the page. `since`: as the command's option, or empty for the whole log. */
export interface Choice {
  since: string;
  everywhere: boolean;
}

/** The numbers have tables, whose bars are hidden from screen readers: the number is beside them. */
const STYLE = `
  body { max-width: 75rem; margin: 0 auto; padding: 0 1.5rem 2rem; color: var(--vscode-foreground); font: var(--vscode-font-size)/1.5 var(--vscode-font-family); }
  h1 { margin: 1.2rem 0 .6rem; font-size: 1.6em; font-weight: 500; }
  h2 { margin: 0 0 .4rem; font-size: 1.1em; font-weight: 600; }
  form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
  label { display: inline-flex; gap: .4rem; align-items: center; }
  select, button { font: inherit; padding: .2rem .5rem; border: 1px solid var(--vscode-dropdown-border, transparent); border-radius: 2px; }
  select { background: var(--vscode-dropdown-background); color: var(--vscode-dropdown-foreground); }
  button { background: var(--vscode-button-background); color: var(--vscode-button-foreground); border-color: var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); padding: .2rem .8rem; cursor: pointer; }
  button:hover { background: var(--vscode-button-hoverBackground); }
  :focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
  [role=status] { margin: .8rem 0 0; }
  .numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.8rem 3rem; margin-top: 1.2rem; }
  .numbers > p, .wide { grid-column: 1 / -1; margin: 0; }
  .aside { color: var(--vscode-descriptionForeground); }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: .15rem .9rem .15rem 0; text-align: start; font-weight: normal; vertical-align: baseline; overflow-wrap: break-word; }
  thead > tr > * { color: var(--vscode-descriptionForeground); border-bottom: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)); }
  .number { width: 1%; text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
  .bar { width: 26%; min-width: 4rem; padding-inline-end: 0; }
  .wide td:last-child { width: 55%; overflow-wrap: anywhere; }
  section { min-width: 0; overflow-x: auto; }
  @media (max-width: 28rem) { .bar { display: none; } body { padding: 0 1rem 2rem; } th, td { padding-inline-end: .5rem; } }
  progress { appearance: none; display: block; box-sizing: border-box; width: 100%; height: .7em; border: 0; background: transparent; }
  progress::-webkit-progress-bar { background: transparent; }
  progress::-webkit-progress-value { background: var(--vscode-charts-blue); border-radius: 1px; }
  .vscode-high-contrast progress::-webkit-progress-value { background: var(--vscode-foreground); }
`;

/** Asks for the numbers when the page is shown and when the user chooses, and puts them in. */
const SCRIPT = `
  const code = acquireVsCodeApi();
  const form = document.querySelector('form');
  const ask = () => code.postMessage({ since: form.elements.since.value, everywhere: form.elements.where.value === 'all' });
  form.addEventListener('change', ask);
  form.addEventListener('submit', (event) => { event.preventDefault(); ask(); });
  addEventListener('message', ({ data }) => {
    document.querySelector('[role=status]').textContent = data.status;
    document.querySelector('.numbers').innerHTML = data.html;
  });
  ask();
`;

/** The page without its numbers. `hasFolder`: whether the window has folders of its own. */
export function pageOf(choice: Choice, hasFolder: boolean, nonce: string, language: string): string {
  const option = (value: string, text: string, isChosen: boolean): string => `<option value="${value}"${isChosen ? ' selected' : ''}>${asHtml(text)}</option>`;
  const times: [string, string][] = [
    ['24h', l10n.t('Last 24 hours')],
    ['7d', l10n.t('Last 7 days')],
    ['30d', l10n.t('Last 30 days')],
    ['', l10n.t('The whole log')],
  ];
  const places = [
    ...(hasFolder ? [option('here', l10n.t('This workspace'), !choice.everywhere)] : []),
    option('all', l10n.t('All workspaces'), choice.everywhere),
  ];
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  const title = asHtml(l10n.t('Statistics'));
  return `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
    <meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="${policy}">
    <style nonce="${nonce}">${STYLE}</style></head><body><main><h1>${title}</h1><form>
    <label>${asHtml(l10n.t('Time'))} <select name="since">${times.map(([value, text]) => option(value, text, value === choice.since)).join('')}</select></label>
    <label>${asHtml(l10n.t('Folders'))} <select name="where">${places.join('')}</select></label>
    <button>${asHtml(l10n.t('Refresh'))}</button></form>
    <p role="status">${asHtml(l10n.t('Reading the log…'))}</p><div class="numbers"></div></main><script nonce="${nonce}">${SCRIPT}</script></body></html>`;
}

/** What a screen reader is told when it changes, as text, and the rest. */
export interface Content {
  status: string;
  html: string;
}

export function contentOf(numbers: Statistics, language: string): Content {
  if (numbers.operations > 0) {
    return new Page(numbers, language).content();
  }
  const isWhole = numbers.since === null && numbers.workspaces === null;
  const status = isWhole
    ? l10n.t('No operations are logged yet. Agents’ reads and changes are logged while the setting agentfs.log.operations is on: let an agent work, and refresh this page.')
    : l10n.t('No operations were found. Choose a longer time, or all workspaces.');
  return { status, html: notes(numbers) };
}

function notes({ dry_runs: dryRuns, skipped_lines: skipped }: Statistics): string {
  const said = [
    ...(dryRuns > 0 ? [l10n.t('Dry runs, which are not counted: {0}.', dryRuns)] : []),
    ...(skipped > 0 ? [l10n.t('Lines of the log that are no records: {0}.', skipped)] : []),
  ];
  return said.map((text) => `<p class="aside">${asHtml(text)}</p>`).join('');
}

/** `share`: how long the bar is, from 0 to 1. */
interface Row {
  cells: readonly string[];
  share?: number;
}

class Page {
  private readonly percent: Intl.NumberFormat;
  private readonly whole: Intl.NumberFormat;

  constructor(private readonly numbers: Statistics, private readonly language: string) {
    this.percent = new Intl.NumberFormat(language, { style: 'percent' });
    this.whole = new Intl.NumberFormat(language);
  }

  content(): Content {
    const { numbers } = this;
    const status = l10n.t('{0} operations, {1} to {2}', this.whole.format(numbers.operations), this.when(numbers.first), this.when(numbers.last));
    const parts = [
      this.section(l10n.t('Rates'), [l10n.t('Rate'), '#' + l10n.t('Share'), ''], this.rates()),
      this.section(
        l10n.t('Operations'),
        [l10n.t('Operation'), '#' + l10n.t('Count'), '#' + l10n.t('Succeeded'), '#' + l10n.t('Median')],
        withBars(numbers.by_operation, ({ count }) => count, (one) => [one.operation, this.whole.format(one.count), this.percent.format(one.succeeded / one.count), duration(one.median_ms)]),
      ),
      this.counts(l10n.t('Outcomes'), l10n.t('Outcome'), numbers.outcomes),
      this.section(
        l10n.t('File types'),
        [l10n.t('Type'), '#' + l10n.t('Count'), '#+', '#−'],
        withBars(numbers.file_types, ({ operations }) => operations, (one) => [
          one.extension ?? l10n.t('other'),
          this.whole.format(one.operations),
          this.whole.format(one.lines_added),
          this.whole.format(one.lines_removed),
        ]),
      ),
      this.review(),
      this.counts(l10n.t('Errors'), l10n.t('Code'), numbers.errors),
      this.counts(l10n.t('Match levels'), l10n.t('Level'), numbers.match_levels),
      this.section(
        l10n.t('Slowest operations, without the wait for you'),
        ['#' + l10n.t('Time'), l10n.t('Operation'), l10n.t('Mostly'), l10n.t('File')],
        numbers.slowest.map((one) => ({ cells: [duration(one.own_ms), one.operation, one.phase ?? '', fileOf(one)] })),
      ).replace('<section', '<section class="wide"'),
      notes(numbers),
    ];
    return { status, html: parts.join('') };
  }

  private rates(): Row[] {
    const { success, rejection, amended, conflict, created } = this.numbers;
    const rates: [string, Share, string][] = [
      [l10n.t('Succeeded'), success, l10n.t('{0} of {1} operations', success.count, success.of)],
      [l10n.t('Rejected by you'), rejection, l10n.t('{0} of {1} you decided', rejection.count, rejection.of)],
      [l10n.t('Changed by you'), amended, l10n.t('{0} of {1} you accepted', amended.count, amended.of)],
      [l10n.t('Conflicts'), conflict, l10n.t('{0} of {1} changes', conflict.count, conflict.of)],
      [l10n.t('Files created'), created, l10n.t('{0} of {1} files written', created.count, created.of)],
    ];
    return rates.flatMap(([name, { share }, of]) => (share === null ? [] : [{ cells: [name, this.percent.format(share), of], share }]));
  }

  private review(): string {
    const { review } = this.numbers;
    if (review.count === 0) {
      return '';
    }
    const rows = withBars(review.steps, ({ count }) => count, ({ up_to_ms: upTo, count }) => [upTo === null ? l10n.t('longer') : duration(upTo), this.whole.format(count)]);
    const said = l10n.t(
      'Median {0}, 95% within {1}, longest {2}, {3} in all',
      ...[review.median_ms, review.p95_ms, review.longest_ms, review.total_ms].map((ms) => duration(ms ?? 0)),
    );
    return this.section(l10n.t('Time in review'), [l10n.t('Answered within'), '#' + l10n.t('Count')], rows, said);
  }

  private counts(title: string, head: string, counts: readonly Count[]): string {
    return this.section(title, [head, '#' + l10n.t('Count')], withBars(counts, ({ count }) => count, ({ name, count }) => [name, this.whole.format(count)]));
  }

  /** A table, or nothing if it has no rows. `#` before a head: its column has numbers. The first column names the row, unless it has numbers. */
  private section(title: string, heads: readonly string[], rows: readonly Row[], aside = ''): string {
    if (rows.length === 0) {
      return '';
    }
    const hasBars = rows[0]?.share !== undefined;
    const kind = heads.map((head) => (head.startsWith('#') ? ' class="number"' : ''));
    const head = heads.map((name, at) => (name === '' ? '<td></td>' : `<th scope="col"${kind[at]}>${asHtml(name.replace(/^#/, ''))}</th>`));
    const body = rows.map(({ cells, share = 0 }) => {
      const row = cells.map((cell, at) => {
        const element = at === 0 && kind[0] === '' ? 'th scope="row"' : 'td';
        return `<${element}${kind[at]}>${asHtml(visible(cell))}</${element.slice(0, 2)}>`;
      });
      return `<tr>${row.join('')}${hasBars ? `<td class="bar" aria-hidden="true"><progress value="${share}"></progress></td>` : ''}</tr>`;
    });
    return `<section><h2>${asHtml(title)}</h2><table><thead><tr>${head.join('')}${hasBars ? '<td class="bar" aria-hidden="true"></td>' : ''}</tr></thead>
      <tbody>${body.join('')}</tbody></table>${aside === '' ? '' : `<p class="aside">${asHtml(aside)}</p>`}</section>`;
  }

  private when(time: string | null): string {
    return time === null ? '' : new Date(time).toLocaleString(this.language, { dateStyle: 'medium', timeStyle: 'short' });
  }
}

/** Rows with bars in proportion to the largest one. */
function withBars<One>(all: readonly One[], countOf: (one: One) => number, cellsOf: (one: One) => string[]): Row[] {
  const most = Math.max(1, ...all.map(countOf));
  return all.map((one) => ({ cells: cellsOf(one), share: countOf(one) / most }));
}

function fileOf({ path, files }: SlowOperation): string {
  return files > 1 ? l10n.t('{0} and {1} more', path ?? '', files - 1) : (path ?? '');
}

export function duration(ms: number): string {
  if (ms < 1000) {
    return l10n.t('{0} ms', ms < 10 ? ms.toFixed(1) : Math.round(ms));
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) {
    return l10n.t('{0} s', (ms / 1000).toFixed(1).replace(/\.0$/, ''));
  }
  const [large, small] = seconds < 3600 ? [Math.floor(seconds / 60), seconds % 60] : [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (seconds < 3600) {
    return small === 0 ? l10n.t('{0} min', large) : l10n.t('{0} min {1} s', large, small);
  }
  return l10n.t('{0} h {1} min', large, small);
}
