/** The wire’s names and shapes, made from the server’s by `make generated`: change them there. */

/* eslint max-lines: off */

/** Requests that agents make; which of them a server serves it says at its start. */
export const AgentMethod = {
  status: 'agentfs/status',
  read: 'agentfs/read',
  write: 'agentfs/write',
  edit: 'agentfs/edit',
  batch: 'agentfs/batch',
  history: 'agentfs/history',
  undo: 'agentfs/undo',
  tools: 'agentfs/tools',
  call: 'agentfs/call',
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

/** The failureReason of a preview that is settled later. */
export const PENDING = 'agentfs:pending';

export type DialectName = 'standard' | 'gemini' | 'workspace';

export type Level = 'exact' | 'eol' | 'trailing_whitespace' | 'indentation' | 'unicode';

export type Mode = 'manual' | 'auto_edit';

export type Eol = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

export type Operation = 'create' | 'update' | 'delete';

export type Rung = 'policy' | 'review' | 'preview' | 'message' | 'terminal';

export type State = 'queued' | 'shown' | 'landing';

export type Tool = 'write' | 'edit' | 'batch' | 'undo';

export type KeptDecision = 'allowed' | 'accepted' | 'amended' | 'withdrawn';

export type Where = 'disk' | 'editor';

export type AnswerStatus = 'success' | 'partial' | 'error';

export type Data = StatusData | ReadData | WriteData | EditData | BatchData | History | UndoData | ToolsData;

export type AnyStats = Stats | ReadStats | ChangeStats | LineStats;

export type Code = 'CONFLICT' | 'WITHDRAWN' | 'TIMEOUT' | 'SETTLED' | 'UNKNOWN' | 'INVALID_PARAM' | 'EXECUTION_ERROR';

export type Outcome = 'landed' | 'editor' | 'rejected' | 'withdrawn' | 'timed_out' | 'conflict' | 'failed';

export type Decision = 'accepted' | 'amended' | 'rejected';

export type ProposalAnswer = Proposal | Refusal;

export type SettleAnswer = ToApply | Refusal;

export type AppliedAnswer = ToSave | ToRevert | Refusal;

export type SavedAnswer = Nothing | Refusal;

/** What every request takes (docs/protocol.md#2-requests). */
export interface Params {
  /** whose reads, mode and proposals these are */
  session?: string;
  /** a name, shown to the user as claimed */
  agent?: string;
  /** LSP's own: where progress is reported */
  workDoneToken?: number | string;
}

/** agentfs/status. */
export type StatusParams = Params;

/** agentfs/read. */
export interface ReadParams extends Params {
  /** section 4 */
  path: string;
  /** the first line, counted from 1 */
  start_line?: number;
  /** how many lines; absent: 2000, and at most 200,000 characters (the settings `limits.read_lines` and `limits.read_chars`); 0: all */
  limit?: number;
  /** each line behind its number, as `%4d | ` */
  line_numbers?: boolean;
}

/** What write and edit have in common. */
export interface ChangeParams extends Params {
  /** section 4 */
  path: string;
  /** say what would happen, and do nothing (partial) */
  dry_run?: boolean;
  /** section 8 */
  expected_mtime_ms?: number;
  /** section 8 */
  expected_size_bytes?: number;
  /** section 8 */
  expected_hash?: string;
  /** what to do where the file has changed since: section 8 */
  on_conflict?: 'error' | 'merge';
  /** why, in the agent's words, shown beside the diff */
  explanation?: string;
}

/** agentfs/write. */
export interface WriteParams extends ChangeParams {
  /** the whole text */
  content: string;
  /** take an empty `content` */
  allow_empty?: boolean;
  /** create missing folders; absent: as the setting `create_dirs` says. Where that is off nothing creates them */
  create_dirs?: boolean;
  /** false: an existing file is CONFLICT */
  overwrite?: boolean;
}

/** agentfs/edit. */
export interface EditParams extends ChangeParams {
  /** section 4; the file must exist */
  path: string;
  /** the text to replace */
  old_string: string;
  /** what stands there instead; may be empty */
  new_string: string;
  /** replace every place */
  replace_all?: boolean;
  /** how many places there must be; more than 1 implies `replace_all` */
  expected_count?: number;
}

/** One operation of a batch. */
export interface OperationParams {
  tool: 'write' | 'edit';
  /** that request's own */
  params: Record<string, unknown>;
}

/** agentfs/batch. */
export interface BatchParams extends Params {
  /** {`tool`: `"write"` or `"edit"`, `params`: that request's own} */
  operations: OperationParams[];
  /** all of it lands, or none */
  atomic?: boolean;
  /** say what would happen, and do nothing (partial) */
  dry_run?: boolean;
  /** why, in the agent's words, shown beside the diff */
  explanation?: string;
}

/** agentfs/tools. */
export interface ToolsParams extends Params {
  /** whose tools */
  dialect?: DialectName;
  /** how each definition is written */
  format?: 'openai' | 'anthropic' | 'mcp';
}

/** agentfs/call. `arguments` are checked when the tool is known. */
export interface CallParams extends Params {
  /** whose tool */
  dialect?: DialectName;
  /** the tool's name */
  name: string;
  /** what the model gave */
  arguments: Record<string, unknown>;
  /** why, in the agent's words; shown beside the diff. For a read it says nothing */
  explanation?: string;
  /** section 8, for a change; for a read it says nothing */
  expected_mtime_ms?: number;
  /** the same */
  expected_size_bytes?: number;
  /** the same */
  expected_hash?: string;
}

/** agentfs/history. */
export interface HistoryParams extends Params {
  /** changes of this file, or of files in this folder; a root's own path, and a slash at the end, will do */
  path?: string;
  /** this change alone; NOT_FOUND where it is not kept */
  change_id?: string;
  /** with the files' texts */
  texts?: boolean;
  /** at most so many changes */
  limit?: number;
  /** a change's id: only older ones */
  before?: string;
}

/** agentfs/undo. */
export interface UndoParams extends Params {
  /** which change; null: the last one of this session on this connection, an undo counting as one */
  change_id?: string;
  /** why, in the agent's words, shown beside the diff */
  explanation?: string;
}

/** Figures of any answer. */
export interface Stats {
  /** how long the request took, the wait for the user included */
  time_ms: number;
}

/** Figures of a change of several files. */
export interface LineStats extends Stats {
  /** files that landed; in a dry run, that would */
  files_changed: number;
  /** of all of them */
  lines_added: number;
  /** the same */
  lines_removed: number;
}

/** What an answer says of the review: docs/protocol.md#94-what-the-answer-says. */
export interface Review {
  /** `"policy"`, `"review"`, `"preview"` or `"message"` */
  rung: Rung | '';
  /** `"allowed"`, `"accepted"`, `"amended"`, `"rejected"`, `"dismissed"`, `"withdrawn"` or `"timed_out"` */
  decision: 'allowed' | 'accepted' | 'amended' | 'rejected' | 'dismissed' | 'withdrawn' | 'timed_out';
  /** `"mode"`, `"rule"` or `"user"` */
  by: 'mode' | 'rule' | 'user';
  /** from when it was shown to the decision */
  waited_ms: number;
  /** the rule's glob (there: a rule let it through) */
  rule?: string;
  /** it (there: the user wrote something) */
  feedback?: string;
  /** the diff from what was proposed to what was accepted (there: the user amended it) */
  amendments?: string;
  /** the diff from what was accepted to what was saved (there: what was saved differs from it, by the user or the editor's save) */
  on_save?: string;
}

/** Something the reviewer should see; `line` counts from 1 in the proposed text, 0 for the whole file. */
export interface Warned {
  kind: string;
  line: number;
  detail: string;
}

/** The same, of one of several files. */
export interface FileWarned extends Warned {
  path: string;
}

/** Something that was put right in what the agent sent. */
export interface Corrected {
  kind: 'line_ends' | 'byte_order_mark';
  detail: string;
}

/** Why there is no result. */
export interface Failure {
  code: string;
  message: string;
}

/** A folder that agents may work in. */
export interface RootStatus {
  name: string;
  uri: string;
}

/** A session of this connection. */
export interface SessionStatus {
  session: string;
  mode: Mode;
}

/** A proposal that is not over. */
export interface PendingStatus {
  id: string;
  session: string;
  agent: string;
  tool: Tool;
  paths: string[];
  since_ms: number;
  state: State;
}

/** agentfs/status. */
export interface StatusData {
  /** the server's version */
  version: string;
  /** `"manual"` or `"auto_edit"`, for sessions without one of their own */
  mode: Mode;
  /** `{name, uri}` of each root */
  roots: RootStatus[];
  /** the settings' switches by name, each `true` or `false` as it is now */
  switches: Record<string, boolean>;
  /** how a change would be reviewed: `"review"`, `"preview"` or `"message"` */
  rung: Rung;
  /** `{session, mode}` of each session of this connection that has read something or has a mode */
  sessions: SessionStatus[];
  /** `{id, session, agent, tool, paths, since_ms, state}` of each proposal, with no path while an undo looks for its change; `state` is `"queued"`, `"shown"` or `"landing"` */
  pending: PendingStatus[];
}

/** agentfs/read. */
export interface ReadData {
  /** exactly that range of the text, with its own line ends */
  content: string;
  /** lines remain behind it (partial); `text` says where to go on */
  truncated: boolean;
  /** `"editor"` where the file is open, else `"disk"` */
  source: Where;
  /** the editor holds unsaved changes */
  dirty: boolean;
  /** `"lf"`, `"crlf"`, `"cr"`, `"mixed"` or `"none"` */
  eol: Eol;
  /** the file has a byte-order mark, which is never in `content` */
  bom: boolean;
  /** the file ends with a line end */
  final_newline: boolean;
  /** `"sha256:…"` of the bytes on disk, or of the editor's text in the file's encoding with its mark (there: the file was loaded) */
  hash?: string;
  /** `"replace"` (partial) (there: decoding was lossy) */
  fallback_encoding?: 'replace';
}

/** agentfs/read. */
export interface ReadStats extends Stats {
  /** lines in `content` */
  lines_read: number;
  /** characters read, line numbers aside */
  chars_read: number;
  /** lines of the whole text (there: the file was loaded) */
  total_lines?: number;
  /** its size there (there: the file is on disk) */
  file_size_bytes?: number;
  /** `st_mtime_ns // 1_000_000` (there: the file is on disk) */
  file_mtime_ms?: number;
  /** as Python names it */
  encoding: string;
}

/** agentfs/write. */
export interface WriteData {
  /** the disk holds it */
  applied: boolean;
  /** `"create"` or `"update"` */
  operation: Operation;
  /** unified diff, see below; empty where the session may not read the file and has not */
  diff_preview: string;
  /** the diff was cut (partial) */
  diff_truncated: boolean;
  /** section 9.4 */
  warnings: Warned[];
  /** `{kind, detail}` of what was put right: `"line_ends"` (detail: the file's own), `"byte_order_mark"` */
  corrections: Corrected[];
  /** the file held this content already */
  unchanged: boolean;
  /** diff from what the session had read to what others had made of it, within the preview's limits (there: it was merged (section 8)) */
  merged?: string;
  /** `"disk"` or `"editor"` (section 9.3) (there: it landed) */
  landing?: Where;
  /** section 9.4 (there: it landed) */
  review?: Review;
  /** what history knows the change by; the proposal's id (there: it landed and `history.enabled` is on) */
  change_id?: string;
}

/** agentfs/edit. */
export interface EditData extends WriteData {
  /** how many places */
  replacements: number;
  /** the level at which they were found */
  match: Level;
  /** the same name (partial) (there: a level below `eol`) */
  fallback?: Level;
}

/** agentfs/write and agentfs/edit. */
export interface ChangeStats extends Stats {
  /** 0 where nothing was written */
  bytes_written: number;
  /** bytes on disk before */
  original_size: number;
  /** bytes of the proposed text */
  new_size: number;
  /** of the whole change, however much the diff shows */
  lines_added: number;
  /** the same */
  lines_removed: number;
  /** as the file now is (there: the file is on disk) */
  file_mtime_ms?: number;
  /** as the file now is (there: the file is on disk) */
  file_size_bytes?: number;
}

/** What became of one operation of a batch. */
export interface OperationResult {
  /** the operation's, from 0 */
  index: number;
  /** `"write"` or `"edit"` */
  tool: 'write' | 'edit';
  /** as answers name the file */
  path: string;
  /** `"success"`; `"partial"`: it waits in the editor, or was matched loosely; `"error"` */
  status: AnswerStatus;
  /** `"create"` or `"update"`, by itself (there: it was worked out) */
  operation?: Operation;
  /** `"disk"` or `"editor"`; `"unknown"` beside an `error` where some of it is there, or may be (there: its file landed, or may have) */
  landing?: 'disk' | 'editor' | 'unknown';
  /** how many places (there: it is an edit) */
  replacements?: number;
  /** the level (section 7) (there: it is an edit) */
  match?: Level;
  /** section 6 (there: it was merged) */
  merged?: string;
  /** section 6 (there: something was put right) */
  corrections?: Corrected[];
  /** `{code, message}` (there: it failed) */
  error?: Failure;
}

/** agentfs/batch. */
export interface BatchData {
  /** the disk holds all of it */
  applied: boolean;
  /** the weakest of the files': `"editor"`, else `"disk"` (there: something landed) */
  landing?: Where;
  /** one for each operation, in their order */
  results: OperationResult[];
  /** the indexes of those that failed (there: not `atomic`) */
  failed_items?: number[];
  /** the diffs of all files, within the limits of one (section 6) */
  diff_preview: string;
  /** the diff was cut (partial) */
  diff_truncated: boolean;
  /** section 9.4, each with the file's `path` */
  warnings: FileWarned[];
  /** section 9.4 (there: something landed) */
  review?: Review;
  /** section 11 (there: something landed and `history.enabled` is on) */
  change_id?: string;
}

/** A file of a change that landed. */
export interface LandedFile {
  path: string;
  operation: Operation;
  before_hash: string | null;
  after_hash: string | null;
  lines_added: number;
  lines_removed: number;
  /** There: `texts` */
  before_text?: string | null;
  /** There: `texts` */
  proposed_text?: string | null;
  /** There: `texts` */
  after_text?: string | null;
}

/** A change that landed. */
export interface LandedChange {
  /** the proposal's id */
  change_id: string;
  /** when it landed, RFC 3339 in UTC */
  time: string;
  /** as the request had it */
  session: string;
  /** as the request had it */
  agent: string;
  /** `"write"`, `"edit"`, `"batch"` or `"undo"` */
  tool: string;
  /** as the request had it */
  explanation: string;
  /** `"allowed"`, `"accepted"`, `"amended"` or `"withdrawn"` */
  decision: KeptDecision;
  /** `"mode"`, `"rule"` or `"user"`, as in section 9.4 */
  by: string;
  /** `"disk"`, or `"editor"` where something of it waited unsaved */
  landing: Where;
  /** the user accepted something else than was proposed */
  modified_by_user: boolean;
  /** `{path, operation, before_hash, after_hash, lines_added, lines_removed}`: `operation` is `"create"`, `"update"` or `"delete"`; hashes as in section 5, null where there is no file */
  files: LandedFile[];
}

/** agentfs/history. */
export interface History {
  /** newest first, see below */
  changes: LandedChange[];
  /** older ones fit too: go on with `before` */
  more: boolean;
}

/** A file that an undo changed. */
export interface UndoneFile {
  path: string;
  operation: Operation;
  landing: Where;
}

/** agentfs/undo. */
export interface UndoData {
  /** the disk holds it */
  applied: boolean;
  /** the id of the change that was undone */
  undone: string;
  /** nothing of it was left to undo */
  unchanged: boolean;
  /** `{path, operation, landing}` of each that was changed; `operation` is `"create"`, `"update"` or `"delete"` */
  files: UndoneFile[];
  /** of all files, as in section 10; empty where the session may not read one of them at any time */
  diff_preview: string;
  /** the diff was cut (partial) */
  diff_truncated: boolean;
  /** section 9.4, each with the file's `path` */
  warnings: FileWarned[];
  /** the weakest of the files': `"editor"` (partial), else `"disk"` (there: it landed) */
  landing?: Where;
  /** section 9.4 (there: it landed) */
  review?: Review;
  /** the undo's own (there: it landed and `history.enabled` is on) */
  change_id?: string;
}

/** agentfs/tools. */
export interface ToolsData {
  /** the definitions */
  tools: Record<string, unknown>[];
  /** guidance for the system prompt, in Markdown, in the language of section 17; empty where there is no tool */
  prompt: string;
}

/** A file's revision; what is not known of it is null. */
export interface Revision {
  mtime_ms: number | null;
  size_bytes: number | null;
  hash: string | null;
}

/** Of a CONFLICT. */
export interface ConflictContext {
  /** `"disk"` or `"editor"`: where the other text is */
  source: Where;
  /** `{mtime_ms, size_bytes, hash}` as this session, or the request, had it; unknown ones null */
  expected: Revision;
  /** the same as it is now */
  actual: Revision;
  /** the diff from what the session read to what is there, within diff_preview's limits, or null */
  diff_since_read: string | null;
}

/** Where some of a change is. */
export interface FileLanding {
  path: string;
  landing: Where;
}

/** What an answer is about. */
export interface Context {
  /** `"."` */
  cwd: string;
  /** what came, verbatim, null where nothing came */
  params_input: unknown;
  /** the file's name, links followed (there: as soon as the path could be resolved) */
  path_resolved?: string;
  /** see below (there: CONFLICT) */
  conflict?: ConflictContext;
  /** section 9.4 (there: an error after a review) */
  review?: Review;
  /** `"unknown"` (there: it is not known whether the change landed) */
  landing?: 'unknown';
  /** `{path, landing}` of each file that holds some of it, or may; `landing` is `"disk"` or `"editor"` (there: it is not known whether the change landed) */
  files?: FileLanding[];
  /** what its `results` would hold (section 10) (there: a batch failed) */
  batch?: OperationResult[];
}

/** No result. */
export type Nothing = Record<string, never>;

/** The answer to every request of an agent: docs/protocol.md#3-envelope. */
export interface Envelope {
  /** `"success"`, `"partial"` or `"error"` */
  status: AnswerStatus;
  /** the result; `{}` when `status` is `"error"`, never null */
  data: Record<string, unknown>;
  /** for the model: what happened, the state, the next step */
  text: string;
  /** numbers and strings: `time_ms`, and what the request's section lists */
  stats: Record<string, unknown>;
  /** what the answer is about */
  context: Context;
  /** `{code, message}`; only when `status` is `"error"`, else the key is absent */
  error?: Failure;
}

/** A file of a proposal. `version` is null where it is not open, `base_hash` where there is none. */
export interface ProposedFile {
  uri: string;
  path: string;
  operation: Operation;
  version: number | null;
  base_hash: string | null;
  lines_added: number;
  lines_removed: number;
}

/** The params of `agentfs/proposed`. */
export interface Proposed {
  id: string;
  title: string;
  tool: Tool;
  session: string;
  agent: string;
  explanation: string;
  /** rejecting one of its files rejects all */
  atomic: boolean;
  files: ProposedFile[];
}

/** A file with what there is to show of it; line ends are `\n`, `eol` is the file's own. */
export interface ReviewedFile extends ProposedFile {
  base_text: string;
  proposed_text: string;
  encoding: string;
  eol: Eol;
  warnings: Warned[];
}

/** The result of `agentfs/proposal`: what was announced, with its state and the texts. */
export interface Proposal {
  id: string;
  title: string;
  tool: Tool;
  session: string;
  agent: string;
  explanation: string;
  /** rejecting one of its files rejects all */
  atomic: boolean;
  state: State;
  files: ReviewedFile[];
}

/** What the user decided of one file. */
export interface SettledFile {
  uri: string;
  decision: Decision;
  text?: string;
}

/** agentfs/settle. */
export interface SettleParams {
  /** the proposal's */
  id: string;
  /** `"accepted"`, `"amended"` or `"rejected"` */
  decision: Decision;
  /** what the user wrote, at most 10,000 characters; goes to the agent */
  feedback?: string;
  /** true: let this session's later changes through; not with a rejection */
  always?: boolean;
  /** [{`uri`, `decision`, `text`}]: overrides `decision` for that file; `text` is an amended file's whole text, and goes with no other decision */
  files?: SettledFile[];
}

/** What became of one file: agentfs/applied. */
export interface AppliedFile {
  uri: string;
  applied: boolean;
  reason?: string;
}

/** What became of one document: agentfs/saved. */
export interface SavedFile {
  uri: string;
  saved: boolean;
  reason?: string;
}

/** A no, its reason in the user's language. */
export interface Refusal {
  ok: false;
  code: Code;
  reason: string;
}

/** A yes. */
export interface Done {
  ok: true;
}

/** LSP's own. */
export interface Position {
  line: number;
  character: number;
}

/** LSP's own. */
export interface Range {
  start: Position;
  end: Position;
}

/** LSP's own; with the id of an annotation where it is a preview. */
export interface TextEdit {
  range: Range;
  newText: string;
  annotationId?: string;
}

/** LSP's own. `version` is null for a file that is not open. */
export interface TextDocument {
  uri: string;
  version: number | null;
}

/** LSP's own. */
export interface DocumentEdit {
  textDocument: TextDocument;
  edits: TextEdit[];
}

/** LSP's own. */
export interface ChangeAnnotation {
  label: string;
  needsConfirmation: boolean;
  description: string;
}

/** LSP's own, always as `documentChanges`; annotated where it is a preview. */
export interface WorkspaceEdit {
  documentChanges: DocumentEdit[];
  changeAnnotations?: Record<string, ChangeAnnotation>;
}

/** What the client must apply to its open documents; null for nothing. */
export interface ToApply extends Done {
  apply: WorkspaceEdit | null;
}

/** The documents to save. */
export interface ToSave extends Done {
  save: string[];
}

/** What takes back what was applied, or null. */
export interface ToRevert extends Refusal {
  revert: WorkspaceEdit | null;
}

/** agentfs/setApprovalMode; without `session` for all. */
export interface SetApprovalModeParams {
  mode: Mode;
  session?: string;
}

/** agentfs/setSwitch. */
export interface SetSwitchParams {
  name: string;
  on: boolean;
}

/** agentfs/settled. */
export interface Settled {
  id: string;
  outcome: Outcome;
}

/** agentfs/statusChanged. `pending`: how many. */
export interface Status {
  mode: Mode;
  sessions: SessionStatus[];
  switches: Record<string, boolean>;
  pending: number;
}

/** agentfs/documentState; what is not known is left out. */
export interface DocumentState {
  uri: string;
  dirty?: boolean;
  encoding?: string;
}

/** `files` are `fnmatch`'s patterns; the last rule that matches a file decides. */
export interface EncodingRule {
  files: string[];
  encoding: string;
}

/** The rules of a workspace folder. */
export interface FolderEncodings {
  uri: string;
  rules: EncodingRule[];
}

/** agentfs/fileEncodings. */
export interface FileEncodings {
  folders: FolderEncodings[];
}
