/** The editor's requests and notifications, with their types. */
import { NotificationType, RequestType } from 'vscode-languageclient/node';
import {
  AgentMethod,
  EditorMethod,
  Notification,
  type AgentsAnswer,
  type AgentsParams,
  type AppliedAnswer,
  type AppliedParams,
  type DiagnosticsParams,
  type DiagnosticsResult,
  type DisconnectParams,
  type DocumentState,
  type Done,
  type Envelope,
  type FileEncodings,
  type HistoryParams,
  type LandingParams,
  type ProposalAnswer,
  type ProposalParams,
  type Proposed,
  type Refusal,
  type SavedAnswer,
  type SavedParams,
  type SetApprovalModeParams,
  type SettleAnswer,
  type SettleParams,
  type Settled,
  type Status,
} from './types';

export const ProposalRequest = new RequestType<ProposalParams, ProposalAnswer, void>(EditorMethod.proposal);
export const SettleRequest = new RequestType<SettleParams, SettleAnswer, void>(EditorMethod.settle);
export const AppliedRequest = new RequestType<AppliedParams, AppliedAnswer, void>(EditorMethod.applied);
export const SavedRequest = new RequestType<SavedParams, SavedAnswer, void>(EditorMethod.saved);
export const SetApprovalModeRequest = new RequestType<SetApprovalModeParams, Done | Refusal, void>(EditorMethod.setApprovalMode);
export const AgentsRequest = new RequestType<AgentsParams, AgentsAnswer, void>(EditorMethod.agents);
export const DisconnectRequest = new RequestType<DisconnectParams, Done | Refusal, void>(EditorMethod.disconnect);
export const UserHistoryRequest = new RequestType<HistoryParams, Envelope, void>(EditorMethod.userHistory);

export const ProposedNotification = new NotificationType<Proposed>(Notification.proposed);
export const SettledNotification = new NotificationType<Settled>(Notification.settled);
export const StatusChangedNotification = new NotificationType<Status>(Notification.statusChanged);
export const DocumentStateNotification = new NotificationType<DocumentState>(Notification.documentState);
export const FileEncodingsNotification = new NotificationType<FileEncodings>(Notification.fileEncodings);

/** The server's. */
export const DiagnosticsRequest = new RequestType<DiagnosticsParams, DiagnosticsResult, void>('agentfs/diagnostics');
export const LandingNotification = new NotificationType<LandingParams>('agentfs/landing');

/** Requests for changes; their answers say what landed. */
export const CHANGING: ReadonlySet<string> = new Set([
  AgentMethod.write,
  AgentMethod.edit,
  AgentMethod.batch,
  AgentMethod.undo,
  AgentMethod.call,
  EditorMethod.userUndo,
]);
