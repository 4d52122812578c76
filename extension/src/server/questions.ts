/**
 * What the server asks the user beside proposals, such as whether an agent may read a file. A question waits until it is
 * answered or over, whatever became of the notification that showed it.
 */
import * as vscode from 'vscode';

export interface Question {
  readonly id: string;
  readonly message: string;
  /** The titles of the buttons. */
  readonly answers: readonly string[];
}

export class Questions {
  private readonly changed = new vscode.EventEmitter<void>();
  /** A question came, was answered, or is over. */
  readonly onDidChange = this.changed.event;
  private readonly waiting = new Map<string, { question: Question; resolve: (answer?: string) => void }>();
  private count = 0;

  get all(): readonly Question[] {
    return [...this.waiting.values()].map(({ question }) => question);
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Add a question. `answered` resolves with the title chosen, undefined where it was over before. */
  ask(message: string, answers: readonly string[]): { question: Question; answered: Promise<string | undefined> } {
    this.count += 1;
    const question = { id: `question-${this.count}`, message, answers };
    const answered = new Promise<string | undefined>((resolve) => this.waiting.set(question.id, { question, resolve }));
    this.changed.fire();
    return { question, answered };
  }

  /** End a question, with an answer or, where there is none, unanswered. False where it was over. */
  end({ id }: Question, answer?: string): boolean {
    const waiting = this.waiting.get(id);
    if (waiting === undefined) {
      return false;
    }
    this.waiting.delete(id);
    waiting.resolve(answer);
    this.changed.fire();
    return true;
  }

  /** The server is gone, and with it whoever asked. */
  clear(): void {
    this.all.forEach((question) => this.end(question));
  }
}
