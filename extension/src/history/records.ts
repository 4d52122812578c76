/** Builds entries for the history view from a review, an answer, or the server's history. */
import type { HistoryRecord, RecordedText } from './store';
import type { Envelope, LandedChange, Review } from '../protocol/types';
import { baseName } from '../util/display';
import { changedLines } from '../util/text';
import type { Ended } from '../proposals/settling';
import { outcomeOf } from '../proposals/review';

let count = 0;

/** The record of a review that the user accepted. */
export function recordOfDecision(ended: Ended): HistoryRecord {
  const { review: { proposed, proposal }, texts } = ended;
  const landed = (proposal?.files ?? []).flatMap((file) => {
    const after = texts.get(file.path);
    return after === undefined ? [] : [{ file, after }];
  });
  const files = landed.map(({ file: { path, operation, base_text: before }, after }) => ({ path, operation, before, after }));
  const amounts = landed.map(({ file, after }) =>
    after === file.proposed_text
      ? { added: file.lines_added, removed: file.lines_removed }
      : changedLines(file.base_text, after),
  );
  return {
    id: proposed.id,
    at: Date.now(),
    tool: proposed.tool,
    session: proposed.session,
    agent: proposed.agent,
    explanation: proposed.explanation,
    paths: files.map(({ path }) => path),
    added: amounts.reduce((sum, { added }) => sum + added, 0),
    removed: amounts.reduce((sum, { removed }) => sum + removed, 0),
    landing: [...texts.keys()].some((path) => outcomeOf(ended, path) === 'editor') ? 'editor' : 'disk',
    isReviewed: true,
    isAmended: landed.some(({ file, after }) => after !== file.proposed_text),
    files,
    preview: '',
  };
}

/** The record of a change that landed without a review here, from its answer; undefined if nothing landed. */
export function recordOfEnvelope(tool: string, params: unknown, envelope: Envelope): HistoryRecord | undefined {
  const { data, stats, context } = envelope;
  const { rung, by } = (data['review'] ?? {}) as Partial<Review>;
  const landing = data['landing'];
  if (rung === 'review' || (landing !== 'disk' && landing !== 'editor')) {
    return undefined;
  }
  const { path, session, agent, explanation } = askedOf(params);
  const paths = pathsOf(data) ?? [textOf(context['path_resolved']) || path];
  count += 1;
  return {
    id: textOf(data['change_id']) || `answer-${count}`,
    at: Date.now(),
    tool,
    session,
    agent,
    explanation,
    paths,
    added: Number(stats['lines_added'] ?? 0),
    removed: Number(stats['lines_removed'] ?? 0),
    landing,
    isReviewed: by === 'user',
    files: [],
    preview: textOf(data['diff_preview']),
  };
}

/** The server's history, newest first. */
export function recordsOfHistory(data: Record<string, unknown>): HistoryRecord[] {
  return changesOf(data).map((change) => ({
    id: change.change_id,
    at: Date.parse(change.time),
    tool: change.tool,
    session: change.session,
    ...(change.connection === undefined ? {} : { connection: change.connection }),
    agent: change.agent,
    explanation: change.explanation,
    paths: change.files.map(({ path }) => path),
    added: change.files.reduce((sum, file) => sum + (file.lines_added ?? 0), 0),
    removed: change.files.reduce((sum, file) => sum + (file.lines_removed ?? 0), 0),
    landing: change.landing === 'editor' ? 'editor' : 'disk',
    isReviewed: change.by === 'user',
    isAmended: change.modified_by_user,
    files: [],
    preview: '',
    hashes: change.files.map(({ path, before_hash: before, after_hash: after }) => ({ path, before, after })),
  }));
}

/** The texts of one change, requested with them, as far as the server keeps them. */
export function textsOfHistory(data: Record<string, unknown>): RecordedText[] {
  const files = changesOf(data)[0]?.files ?? [];
  return files
    .filter((file) => isKept(file.before_hash, file.before_text) && isKept(file.after_hash, file.after_text))
    .map(({ path, operation, before_text: before, after_text: after }) => ({
      path,
      operation,
      before: before ?? '',
      after: after ?? '',
    }));
}

/** If a file existed, its text is required. */
function isKept(hash: string | null, text: string | null | undefined): boolean {
  return hash === null || typeof text === 'string';
}

/** The names of its files, for a row or a title. */
export function namesOf(record: HistoryRecord): string {
  return record.paths.map(baseName).join(', ');
}

/** The files of a batch that landed, each once; undefined for other answers. */
function pathsOf(data: Record<string, unknown>): string[] | undefined {
  const { results } = data as { results?: { path: string; landing?: string }[] };
  return results && [...new Set(results.filter(({ landing }) => landing !== undefined).map(({ path }) => path))];
}

/** What the request said of the change. */
function askedOf(params: unknown): { path: string; session: string; agent: string; explanation: string } {
  const { path, session, agent, explanation } = params as Record<string, unknown>;
  return { path: textOf(path), session: textOf(session) || 'default', agent: textOf(agent), explanation: textOf(explanation) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The changes in an answer of the server's history. */
export function changesOf(data: Record<string, unknown>): readonly LandedChange[] {
  const { changes } = data as { changes?: LandedChange[] };
  return Array.isArray(changes) ? changes : [];
}
