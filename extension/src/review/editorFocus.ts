/** Brings tabs to the front without taking the keys from where the user has them, and without losing any. */
import * as vscode from 'vscode';

/** A command of VS Code's own, to be run by `run`. */
interface Command {
  command: string;
  args: unknown;
}

/** Has VS Code run its commands one right after the other: no key comes in between, as it would with one call each. */
export async function run(...commands: readonly Command[]): Promise<void> {
  await vscode.commands.executeCommand('runCommands', { commands });
}

/**
 * What gives the keys to the editor in front, unless the user has them elsewhere, such as in the search. No stable API
 * tells where they are; when VS Code lays out its editors, it looks itself, and here they stay as they are. In Zen Mode
 * it also leaves the keys with nothing when a diff comes to the front or goes. The groups keep their sizes.
 */
export async function keysForTheFront(): Promise<Command> {
  const layout = await vscode.commands.executeCommand('vscode.getEditorLayout');
  return { command: 'vscode.setEditorLayout', args: [layout] };
}

/**
 * What brings a tab of text to the front and leaves the keys where they are: what `vscode.open` comes down to, as that
 * goes through here. VS Code's commands for other tabs take the keys.
 */
export function withoutFocus({ input, group }: vscode.Tab): Command | undefined {
  const column = group.isActive ? vscode.ViewColumn.Active : group.viewColumn; // by its number the group takes the keys
  const how = [column, { preserveFocus: true, override: 'default' }];
  return input instanceof vscode.TabInputText ? { command: '_workbench.open', args: [input.uri, how] } : undefined;
}
