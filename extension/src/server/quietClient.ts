/** The client of vscode-languageclient, adapted to this extension. */
import { LanguageClient, type DynamicFeature, type StaticFeature } from 'vscode-languageclient/node';

/**
 * Differs from the library's client in two ways. Errors only go to the log: the code that knows what they mean tells
 * the user. And it doesn't register the server's commands: commands.ts does, so that they exist while no server runs.
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
