/**
 * The tools that chat agents in VS Code use: read, write and edit. A change is reviewed like any other, so the
 * tool itself asks nothing.
 */
import * as vscode from 'vscode';
import type { AgentfsApi, EditParams, Envelope, WriteParams } from './api';
import { plainMarkdown } from './util/window';

/** The chat's changes are one session's: what it has read it may change. */
const CALLER = { session: 'vscode-chat', agent: 'VS Code Chat' };

type Input = Record<string, unknown> & { path: string };

/** As it comes from a model, which may have left out what it has to give: the server tells it so. */
type Given = Partial<Input> | null;

interface Tool {
  invoke(options: { input: Given }, token: vscode.CancellationToken): Promise<unknown>;
  prepareInvocation(options: { input: Given }): { invocationMessage: ReturnType<typeof plainMarkdown> };
}

/** The part of the API that is younger than the oldest editor this runs in. */
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

/** Offer the tools, where the editor has such a thing. */
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

/** What the model is told: the sentence that is made for it, and what it asked for or did. */
function partsOf({ text, data }: Envelope): string[] {
  const shown = [data['content'], data['diff_preview']].filter(
    (part): part is string => typeof part === 'string' && part !== '',
  );
  return [text, ...shown];
}

/** Chat models like absolute paths; agents' paths are relative to the workspace's folders. */
function withPathInRoots(input: Given): Input {
  const path = input?.path;
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const isAbsolute = typeof path === 'string' && path.startsWith('/');
  return { ...input, path: isAbsolute ? vscode.workspace.asRelativePath(path, several) : path } as Input;
}
