/** Brings tabs to the front without moving the focus and without losing key presses. */
import * as vscode from 'vscode';

/** One of VS Code's own commands, for `run`. */
interface Command {
  command: string;
  args: unknown;
}

/** Have VS Code run its commands back to back: between separate calls, a key press could get in. */
export async function run(...commands: readonly Command[]): Promise<void> {
  await vscode.commands.executeCommand('runCommands', { commands });
}

/**
 * A command that focuses the active editor unless the focus is elsewhere, such as in the search. No stable API tells
 * where it is, but VS Code checks that when it lays out its editors, so this sets the layout that they have. It also
 * helps in Zen Mode, where VS Code leaves the focus nowhere when a diff opens or closes.
 */
export async function keysForTheFront(): Promise<Command> {
  const layout = await vscode.commands.executeCommand('vscode.getEditorLayout');
  return { command: 'vscode.setEditorLayout', args: [layout] };
}

/**
 * A command that brings a text tab to the front without focusing it. It is what `vscode.open` runs in the end, but
 * `vscode.open` goes through the extension host. VS Code's commands for other kinds of tabs take the focus.
 */
export function withoutFocus({ input, group }: vscode.Tab): Command | undefined {
  // with its number, the active group would take the focus
  const column = group.isActive ? vscode.ViewColumn.Active : group.viewColumn;
  const how = [column, { preserveFocus: true, override: 'default' }];
  return input instanceof vscode.TabInputText ? { command: '_workbench.open', args: [input.uri, how] } : undefined;
}
