/** Brings tabs to the front without moving the focus and without losing key presses. */
import * as vscode from 'vscode';

/** One of VS Code's own commands, for `run`. */
interface Command {
  command: string;
  args?: unknown;
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
  const layout = await layoutNow();
  if ((layout.groups ?? []).length > 1) {
    const { viewColumn } = vscode.window.tabGroups.activeTabGroup;
    await run(layoutCommand(layout));
    return layoutCommand(unmaximized(layout, await layoutNow(), viewColumn - 1));
  }
  return layoutCommand(layout);
}

/**
 * Show all groups of editors if one is maximized, and focus the active editor. Of groups that are hidden together VS
 * Code doesn't tell the sizes.
 */
export async function unmaximize(): Promise<void> {
  const { groups = [] } = await layoutNow();
  if (groups.some(isHidden)) {
    await run({ command: 'workbench.action.toggleMaximizeEditorGroup' });
  }
}

/** Whether groups within this one are hidden together. */
function isHidden({ size, groups }: Layout): boolean {
  return groups !== undefined && (size === 0 || groups.some(isHidden));
}

/** The editors' groups; those in `groups` are side by side or on top of each other. */
interface Layout {
  size?: number;
  groups?: readonly Layout[];
}

async function layoutNow(): Promise<Layout> {
  return vscode.commands.executeCommand<Layout>('vscode.getEditorLayout');
}

function layoutCommand(layout: Layout): Command {
  return { command: 'vscode.setEditorLayout', args: [layout] };
}

/**
 * A layout as it is when no group is maximized. Setting one shows all groups; if one was maximized, `told` has too large
 * a size for it and what contains it, and VS Code has scaled them all to what fits, `shown`.
 * @param at the number of that group
 */
function unmaximized(told: Layout, shown: Layout, at: number): Layout {
  const excess = sizeWithin(told) - sizeWithin(shown);
  let next = 0;
  const groups = told.groups?.map((group, index) => {
    const first = next;
    next += countOf(group);
    const isIn = first <= at && at < next;
    return isIn ? { ...unmaximized(group, shown.groups?.[index] ?? {}, at - first), size: (group.size ?? 0) - excess } : group;
  });
  return groups === undefined ? told : { ...told, groups };
}

function sizeWithin({ groups = [] }: Layout): number {
  return groups.reduce((sum, { size = 0 }) => sum + size, 0);
}

function countOf({ groups }: Layout): number {
  return groups?.reduce((sum, group) => sum + countOf(group), 0) ?? 1;
}

/**
 * A command that brings a text tab to the front without focusing it. It is what `vscode.open` runs in the end, but
 * `vscode.open` goes through the extension host. VS Code's commands for other kinds of tabs take the focus.
 */
export function withoutFocus({ input, group }: vscode.Tab): Command | undefined {
  // with its number, the active group would take the focus; VS Code's own numbers begin with 0
  const column = group.isActive ? vscode.ViewColumn.Active : group.viewColumn - 1;
  const how = [column, { preserveFocus: true, override: 'default' }];
  return input instanceof vscode.TabInputText ? { command: '_workbench.open', args: [input.uri, how] } : undefined;
}

/** Whether a tab is a terminal that gets the keys that decide although they are to do nothing for a moment (`heldKeys.ts`). */
export function takesAllKeys({ input }: vscode.Tab): boolean {
  const settings = vscode.workspace.getConfiguration('terminal.integrated');
  const skipped = settings.get<readonly string[]>('commandsToSkipShell', []);
  return input instanceof vscode.TabInputTerminal && (!skipped.includes('agentfs.ui.again') || settings.get('sendKeybindingsToShell') === true);
}

const ORDINALS = ['First', 'Second', 'Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh', 'Eighth'];

/** A command that focuses a group, if it isn't active and VS Code has one for it. */
export function toGroup({ isActive, viewColumn }: vscode.TabGroup): readonly Command[] {
  const ordinal = isActive ? undefined : ORDINALS[viewColumn - 1];
  return ordinal === undefined ? [] : [{ command: `workbench.action.focus${ordinal}EditorGroup` }];
}
