/** Waits for what the window has to tell. */
import * as vscode from 'vscode';

/**
 * Wait until documents and tabs here are as the screen shows them: VS Code sends this answer after all earlier key
 * presses and other events.
 */
export async function caughtUp(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'agentfs.ui.caughtUp', true);
}
