import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Statistics } from '../../src/protocol/types';
import { contentOf, duration, pageOf } from '../../src/views/statisticsPage';

const none = { count: 0, of: 0, share: null };

const numbers: Statistics = {
  since: null,
  workspaces: null,
  first: '2026-01-30T09:00:00.000Z',
  last: '2026-01-31T10:00:00.000Z',
  operations: 1200,
  dry_runs: 0,
  skipped_lines: 2,
  by_operation: [
    { operation: 'edit', count: 800, succeeded: 600, median_ms: 6.5 },
    { operation: 'read', count: 400, succeeded: 400, median_ms: 0.8 },
  ],
  outcomes: [{ name: 'success', count: 1000 }],
  success: { count: 1000, of: 1200, share: 0.8333 },
  rejection: none,
  conflict: none,
  amended: none,
  created: none,
  lines_added: 3,
  lines_removed: 1,
  file_types: [{ extension: null, operations: 1200, lines_added: 3, lines_removed: 1 }],
  review: { count: 0, total_ms: 0, median_ms: null, p95_ms: null, longest_ms: null, steps: [] },
  errors: [],
  match_levels: [],
  slowest: [
    { time: '', id: null, operation: 'edit', path: '<img src=x>\u{202e}&.py', files: 3, outcome: 'success', own_ms: 31, phase: null },
  ],
};

test('tables name their rows and columns, and have bars only for those who see', () => {
  const { status, html } = contentOf(numbers, 'en');
  assert.match(status, /^1,200 operations, Jan 30, 2026/);
  assert.match(html, /<h2>Operations<\/h2><table><thead><tr><th scope="col">Operation<\/th><th scope="col" class="number">Count<\/th>/);
  assert.ok(html.includes('<tr><th scope="row">read</th><td class="number">400</td><td class="number">100%</td><td class="number">0.8 ms</td><td class="bar" aria-hidden="true"><progress value="0.5"></progress></td></tr>'));
  assert.match(html, /<th scope="row">Succeeded<\/th><td class="number">83%<\/td><td>1000 of 1200 operations<\/td>/);
  assert.match(html, /Lines of the log that are no records: 2\./);
  assert.doesNotMatch(html, /Rejected by you|Errors|Match levels|Time in review|Dry runs/, 'what there is nothing of');
});

test('names from the log are text, and show what is in them', () => {
  assert.ok(contentOf(numbers, 'en').html.includes(String.raw`<td>&lt;img src=x>\u{202e}&amp;.py and 2 more</td>`));
});

test('without operations it says what to do', () => {
  const nothing = { ...numbers, operations: 0 };
  assert.match(contentOf(nothing, 'en').status, /agentfs\.log\.operations/);
  for (const asked of [{ workspaces: ['/a'] }, { since: '2026-01-31T00:00:00.000Z' }]) {
    assert.match(contentOf({ ...nothing, ...asked }, 'en').status, /a longer time, or all workspaces/);
  }
});

test('the page loads nothing, and runs only its own script', () => {
  const page = pageOf({ since: '7d', everywhere: true }, true, 'NONCE', 'en');
  assert.ok(page.includes(`content="default-src 'none'; style-src 'nonce-NONCE'; script-src 'nonce-NONCE'"`));
  assert.doesNotMatch(page, /https?:|\bsrc=|style="| on\w+=/);
  assert.match(page, /<option value="7d" selected>Last 7 days/);
  assert.match(page, /<option value="all" selected>/);
  assert.doesNotMatch(pageOf({ since: '', everywhere: true }, false, 'NONCE', 'en'), /This workspace/);
});

test('durations are short', () => {
  const said = [0.84, 12.4, 999.4, 1000, 4204, 59_400, 60_000, 65_002, 7_380_000].map(duration);
  assert.deepEqual(said, ['0.8 ms', '12 ms', '999 ms', '1 s', '4.2 s', '59.4 s', '1 min', '1 min 5 s', '2 h 3 min']);
});
