/** The part of VS Code's API that pure modules use: its events, which the protocol library has, too. */
export { Emitter as EventEmitter } from 'vscode-jsonrpc';
