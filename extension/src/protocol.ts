/**
 * The wire's shapes and names, as docs/protocol.md has them. A test of the repository holds this file against
 * the server's own (server/agentfs_lsp/api/params.py, review_wire.py, review_params.py).
 */

/** Requests that agents make; which of them a server serves it says at its start. */
export const AgentMethod = {
  read: 'agentfs/read',
  write: 'agentfs/write',
  edit: 'agentfs/edit',
  batch: 'agentfs/batch',
  history: 'agentfs/history',
  undo: 'agentfs/undo',
  tools: 'agentfs/tools',
  call: 'agentfs/call',
  status: 'agentfs/status',
} as const;

/** Requests that only the editor makes. */
export const EditorMethod = {
  proposal: 'agentfs/proposal',
  settle: 'agentfs/settle',
  applied: 'agentfs/applied',
  saved: 'agentfs/saved',
  setApprovalMode: 'agentfs/setApprovalMode',
  setSwitch: 'agentfs/setSwitch',
  userHistory: 'agentfs/userHistory',
  userUndo: 'agentfs/userUndo',
} as const;

/** Notifications, both ways. */
export const Told = {
  proposed: 'agentfs/proposed',
  settled: 'agentfs/settled',
  statusChanged: 'agentfs/statusChanged',
  toolsChanged: 'agentfs/toolsChanged',
  documentState: 'agentfs/documentState',
  fileEncodings: 'agentfs/fileEncodings',
} as const;

/** The failureReason of a preview that is settled later (docs/protocol.md#91-review-clients, step 1). */
export const PENDING = 'agentfs:pending';

// --- what agents ask (sections 2, 5, 6, 7) -------------------------------------------------------------

export interface Params {
  session?: string;
  agent?: string;
  workDoneToken?: number | string;
}

export interface ReadParams extends Params {
  path: string;
  start_line?: number;
  limit?: number;
  line_numbers?: boolean;
}

export interface ChangeParams extends Params {
  path: string;
  dry_run?: boolean;
  expected_mtime_ms?: number;
  expected_size_bytes?: number;
  expected_hash?: string;
  on_conflict?: 'error' | 'merge';
  explanation?: string;
}

export interface WriteParams extends ChangeParams {
  content: string;
  allow_empty?: boolean;
  create_dirs?: boolean;
  overwrite?: boolean;
}

export interface EditParams extends ChangeParams {
  old_string: string;
  new_string: string;
  replace_all?: boolean;
  expected_count?: number;
}

/** Section 10. `params` are those of the tool. */
export interface BatchParams extends Params {
  operations: { tool: 'write' | 'edit'; params: Record<string, unknown> }[];
  atomic?: boolean;
  dry_run?: boolean;
  explanation?: string;
}

/** Section 3. */
export interface Envelope {
  status: 'success' | 'partial' | 'error';
  data: Record<string, unknown>;
  text: string;
  stats: Record<string, number | string>;
  context: Record<string, unknown>;
  error?: { code: string; message: string };
}

// --- reviews (section 9.1) -----------------------------------------------------------------------------

export interface ProposedFile {
  uri: string;
  path: string;
  operation: 'create' | 'update' | 'delete';
  version: number | null;
  base_hash: string | null;
  lines_added: number;
  lines_removed: number;
}

export interface Proposed {
  id: string;
  title: string;
  tool: string;
  session: string;
  agent: string;
  explanation: string;
  /** Rejecting one of its files rejects all. */
  atomic: boolean;
  files: ProposedFile[];
}

export interface Warned {
  kind: string;
  line: number;
  detail: string;
}

export interface FileTexts {
  base_text: string;
  proposed_text: string;
  encoding: string;
  eol: string;
  warnings: Warned[];
}

export interface Proposal extends Proposed {
  state: 'queued' | 'shown' | 'landing';
  files: (ProposedFile & FileTexts)[];
}

export type Decision = 'accepted' | 'amended' | 'rejected';

export interface SettledFile {
  uri: string;
  decision: Decision;
  text?: string;
}

export interface SettleParams {
  id: string;
  decision: Decision;
  feedback?: string;
  always?: boolean;
  files?: SettledFile[];
}

export interface Refusal {
  ok: false;
  code: string;
  reason: string;
}

export interface TextEdit {
  range: { start: Position; end: Position };
  newText: string;
}

export interface Position {
  line: number;
  character: number;
}

/** Edits are always `documentChanges`, pinned to a version or, for files that are not open, to null. */
export interface WorkspaceEdit {
  documentChanges: { textDocument: { uri: string; version: number | null }; edits: TextEdit[] }[];
  changeAnnotations?: Record<string, { label: string; needsConfirmation?: boolean; description?: string }>;
}

export interface AppliedFile {
  uri: string;
  applied: boolean;
  reason?: string;
}

export interface SavedFile {
  uri: string;
  saved: boolean;
  reason?: string;
}

export type ProposalAnswer = Proposal | Refusal;
export type SettleAnswer = { ok: true; apply: WorkspaceEdit | null } | Refusal;
export type AppliedAnswer = { ok: true; save: string[] } | (Refusal & { revert: WorkspaceEdit | null });

export type Outcome = 'landed' | 'editor' | 'rejected' | 'withdrawn' | 'timed_out' | 'conflict' | 'failed';

export interface Settled {
  id: string;
  outcome: Outcome;
}

export type Mode = 'manual' | 'auto_edit';

export interface Status {
  mode: Mode;
  sessions: { session: string; mode: Mode }[];
  switches: Record<string, boolean>;
  pending: number;
}

/** `files` are `fnmatch`'s patterns; the last rule that matches a file decides. */
export interface EncodingRule {
  files: string[];
  encoding: string;
}

export interface FileEncodings {
  folders: { uri: string; rules: EncodingRule[] }[];
}

export interface DocumentState {
  uri: string;
  dirty: boolean;
  encoding?: string;
}

// --- history (section 11) ------------------------------------------------------------------------------

export interface LandedFile {
  path: string;
  operation: string;
  before_hash: string | null;
  after_hash: string | null;
  lines_added: number;
  lines_removed: number;
  before_text?: string | null;
  proposed_text?: string | null;
  after_text?: string | null;
}

export interface LandedChange {
  change_id: string;
  time: string;
  session: string;
  agent: string;
  tool: string;
  explanation: string;
  decision: string;
  by: string;
  landing: string;
  modified_by_user: boolean;
  files: LandedFile[];
}

/** What an answer of `agentfs/history` holds. `more`: older ones are kept. */
export interface History {
  changes: LandedChange[];
  more: boolean;
}

/** Whether an answer of the editor's own requests is a no. */
export function isRefusal(answer: object): answer is Refusal {
  return (answer as { ok?: unknown }).ok === false;
}
