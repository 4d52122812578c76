/**
 * Logs the conversation with the server in the output channel when `agentfs.trace.server` says so. The client library
 * would show it only at the channel's finest log level.
 */
import * as vscode from 'vscode';
import type { TraceLevel } from './settings';

/** Wraps `channel`: logs traces as information unless `level` is "off". */
export class TraceChannel implements vscode.LogOutputChannel {
  private readonly levelChanged = new vscode.EventEmitter<vscode.LogLevel>();
  readonly onDidChangeLogLevel = this.levelChanged.event;
  private level: TraceLevel = 'off';

  constructor(private readonly channel: vscode.LogOutputChannel) {}

  set(level: TraceLevel): void {
    this.level = level;
    this.levelChanged.fire(this.logLevel);
  }

  get logLevel(): vscode.LogLevel {
    return this.level === 'off' ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
  }

  get name(): string {
    return this.channel.name;
  }

  trace(message: string, ...args: unknown[]): void {
    if (this.level !== 'off') {
      this.channel.info(message, ...args);
    }
  }

  debug(message: string, ...args: unknown[]): void {
    this.channel.debug(message, ...args);
  }

  info(message: string, ...args: unknown[]): void {
    this.channel.info(message, ...args);
  }

  warn(message: string, ...args: unknown[]): void {
    this.channel.warn(message, ...args);
  }

  error(error: string | Error, ...args: unknown[]): void {
    this.channel.error(error, ...args);
  }

  append(value: string): void {
    this.channel.append(value);
  }

  appendLine(value: string): void {
    this.channel.appendLine(value);
  }

  replace(value: string): void {
    this.channel.replace(value);
  }

  clear(): void {
    this.channel.clear();
  }

  show(...where: unknown[]): void {
    this.channel.show(where.at(-1) === true);
  }

  hide(): void {
    this.channel.hide();
  }

  /** The owner of the channel disposes of it. */
  dispose(): void {
    this.levelChanged.dispose();
  }
}
