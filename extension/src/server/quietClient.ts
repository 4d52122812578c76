/** The client of vscode-languageclient as this extension needs it. */
import { LanguageClient, type DynamicFeature, type StaticFeature } from 'vscode-languageclient/node';

/**
 * The library's client, but for two things. What goes wrong is said in the log alone: the user is told by whoever knows
 * what it means. And the server's commands are registered by commands.ts, which has them while no server runs, too.
 */
export class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!('registrationType' in feature && feature.registrationType.method === 'workspace/executeCommand')) {
      super.registerFeature(feature);
    }
  }
}
