/** Runs a command of agentfs-lsp for the terminal, with the same server that serves the window. */
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { Server } from './client';

/** `code`: the exit code; undefined if it could not be run, or was killed. `stderr` then says why. */
export interface Ended {
  code: number | undefined;
  stdout: string;
  stderr: string;
}

/** In VS Code's language. */
export function runCommand(server: Server, options: readonly string[]): Promise<Ended> {
  const { command, args, cwd } = server.command;
  const LC_ALL = vscode.env.language.startsWith('zh') ? 'zh_CN.UTF-8' : 'C.UTF-8';
  return new Promise((resolve) => {
    const child = execFile(command, [...args, ...options], { cwd, env: { ...process.env, LC_ALL } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      resolve({ code, stdout, stderr: (stderr || error?.message || '').trim() });
    });
    child.stdin?.end();
  });
}
