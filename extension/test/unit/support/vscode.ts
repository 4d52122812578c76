/** The part of VS Code's API that pure modules use: its events, which the protocol library has, too, and English texts. */
export { Emitter as EventEmitter } from 'vscode-jsonrpc';

export const l10n = {
  t: (text: string, ...args: (string | number)[]): string => text.replace(/\{(\d)\}/g, (_, at: string) => String(args[Number(at)])),
};
