/**
 * The read, write and edit tools for chat agents in VS Code. The user reviews each change as usual, so the tools
 * themselves don't ask for confirmation.
 */
import * as vscode from 'vscode';
import type { AgentfsApi, EditParams, Envelope, WriteParams } from './api';
import { plainMarkdown } from './util/window';

/** All chat changes share one session: what the chat has read, it may change. */
const CALLER = { session: 'vscode-chat', agent: 'VS Code Chat' };

type Input = Record<string, unknown> & { path: string };

/** Input from the model. Any field may be missing; the server's answer says so. */
type Given = Partial<Input> | null;

interface Tool {
  invoke(options: { input: Given }, token: vscode.CancellationToken): Promise<unknown>;
  prepareInvocation(options: { input: Given }): { invocationMessage: ReturnType<typeof plainMarkdown> };
}

/** The part of the API that the oldest supported VS Code doesn't have. */
interface LanguageModels {
  lm?: { registerTool?(name: string, tool: Tool): vscode.Disposable };
  LanguageModelToolResult?: new (parts: unknown[]) => unknown;
  LanguageModelTextPart?: new (value: string) => unknown;
}

type Call = (api: AgentfsApi, input: Input, token: vscode.CancellationToken) => Promise<Envelope>;

const TOOLS: readonly { name: string; call: Call; say: (path: string) => string }[] = [
  {
    name: 'agentfs_read',
    call: (api, input, token) => api.read({ ...input, ...CALLER }, token),
    say: (path) => vscode.l10n.t('Reading {0}', path),
  },
  {
    name: 'agentfs_write',
    call: (api, input, token) => api.write({ ...input, ...CALLER } as WriteParams, token),
    say: (path) => vscode.l10n.t('Proposing {0}', path),
  },
  {
    name: 'agentfs_edit',
    call: (api, input, token) => api.edit({ ...input, ...CALLER } as EditParams, token),
    say: (path) => vscode.l10n.t('Proposing a change of {0}', path),
  },
];

/** Register the tools if this VS Code supports them. */
export function registerChatTools(api: AgentfsApi): vscode.Disposable {
  const models = vscode as unknown as LanguageModels;
  const { LanguageModelToolResult: Result, LanguageModelTextPart: Text } = models;
  const register = models.lm?.registerTool?.bind(models.lm);
  if (register === undefined || Result === undefined || Text === undefined) {
    return new vscode.Disposable(() => undefined);
  }
  const registered = TOOLS.map(({ name, call, say }) =>
    register(name, {
      prepareInvocation: ({ input }) => ({ invocationMessage: plainMarkdown([say(String(input?.path ?? ''))]) }),
      invoke: async ({ input }, token) => {
        const envelope = await call(api, withPathInRoots(input), token);
        return new Result(partsOf(envelope).map((part) => new Text(part)));
      },
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** The text for the model: the server's sentence for it, and the data it asked for. */
function partsOf({ text, data }: Envelope): string[] {
  const shown = [data['content'], data['diff_preview']].filter(
    (part): part is string => typeof part === 'string' && part !== '',
  );
  return [text, ...shown];
}

/** Chat models prefer absolute paths; agentfs paths are relative to the workspace folders. */
function withPathInRoots(input: Given): Input {
  const path = input?.path;
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const isAbsolute = typeof path === 'string' && path.startsWith('/');
  return { ...input, path: isAbsolute ? vscode.workspace.asRelativePath(path, several) : path } as Input;
}
