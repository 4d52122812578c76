/** Shows what agents did in numbers, as a page (`statisticsPage.ts`). The numbers come from `agentfs-lsp stats`. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { Statistics } from '../protocol/types';
import { runCommand } from '../server/cli';
import type { Server } from '../server/client';
import type { Lifecycle } from '../server/lifecycle';
import { messageOf } from '../util/display';
import { LatestTask } from '../util/latestTask';
import { contentOf, pageOf, type Choice, type Content } from './statisticsPage';

export class StatisticsView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private choice: Choice = { since: '7d', everywhere: false };
  private readonly updates = new LatestTask(() => this.update());

  constructor(
    private readonly server: Server,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** Show the page, or bring it to the front with the numbers of now. */
  show(): void {
    if (this.panel !== undefined) {
      this.panel.reveal();
      void this.updates.run();
      return;
    }
    const options = { enableScripts: true, enableFindWidget: true, localResourceRoots: [] };
    const panel = vscode.window.createWebviewPanel('agentfs.statistics', vscode.l10n.t('Statistics'), vscode.ViewColumn.Active, options);
    this.panel = panel;
    // It asks once it is there, and again when the user comes back to its tab.
    const asked = panel.webview.onDidReceiveMessage((message: Choice) => {
      this.choice = { since: String(message.since), everywhere: message.everywhere };
      void this.updates.run();
    });
    panel.onDidDispose(() => {
      asked.dispose();
      this.panel = undefined;
    });
    const hasFolder = folders().length > 0;
    const nonce = randomBytes(16).toString('hex');
    panel.webview.html = pageOf({ ...this.choice, everywhere: this.choice.everywhere || !hasFolder }, hasFolder, nonce, vscode.env.language);
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private async update(): Promise<void> {
    const { choice } = this;
    const content = await this.content(choice);
    if (isDeepStrictEqual(choice, this.choice)) {
      await this.panel?.webview.postMessage(content);
    }
  }

  private async content({ since, everywhere }: Choice): Promise<Content> {
    const options = ['stats', '--json', ...(since === '' ? [] : [`--since=${since}`]), ...(everywhere ? [] : folders().map((folder) => `--workspace=${folder}`))];
    try {
      await this.lifecycle.running(); // it knows by then which Python there is
      const { code, stdout, stderr } = await runCommand(this.server, options);
      return code === 0 ? contentOf(JSON.parse(stdout) as Statistics, vscode.env.language) : { status: stderr.split('\n').at(-1) ?? '', html: '' };
    } catch (error) {
      return { status: messageOf(error), html: '' };
    }
  }
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}
