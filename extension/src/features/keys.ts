/** Brings tabs to the front without taking the keys from where the user has them, and without losing any. */
import * as vscode from 'vscode';

/** A command of VS Code's own, to be run by `run`. */
interface Command {
  command: string;
  args: unknown;
}

interface Layout {
  groups: readonly { groups?: readonly unknown[] }[];
}

/** Has VS Code run its commands one right after the other: no key comes in between, as it would with one call each. */
export async function run(...commands: readonly Command[]): Promise<void> {
  await vscode.commands.executeCommand('runCommands', { commands });
}

/**
 * What gives the keys to the editor in front, unless the user has them elsewhere, such as in the search. No stable API
 * tells where they are; when VS Code lays out its editors, it looks itself, and here they stay as they are. In Zen Mode
 * it also leaves the keys with nothing when a diff comes to the front or goes. With several groups there is none, as it
 * would undo what the user has made of their sizes.
 */
export async function keysForTheFront(): Promise<Command | undefined> {
  const layout = await vscode.commands.executeCommand<Layout>('vscode.getEditorLayout');
  const [only, ...more] = layout.groups;
  return more.length === 0 && only?.groups === undefined
    ? { command: 'vscode.setEditorLayout', args: [layout] }
    : undefined;
}

/**
 * What brings a tab of text to the front and leaves the keys where they are: what `vscode.open` comes down to, as that
 * goes through here. VS Code's commands for other tabs take the keys.
 */
export function withoutFocus({ input }: vscode.Tab): Command | undefined {
  const how = [vscode.ViewColumn.Active, { preserveFocus: true, override: 'default' }];
  return input instanceof vscode.TabInputText ? { command: '_workbench.open', args: [input.uri, how] } : undefined;
}
