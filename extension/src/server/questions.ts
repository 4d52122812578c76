/**
 * The server's questions besides proposals, such as whether an agent may read a file. A question stays until it is
 * answered or withdrawn, even if its notification is gone.
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
  /** A question was added, answered, or withdrawn. */
  readonly onDidChange = this.changed.event;
  private readonly waiting = new Map<string, { question: Question; resolve: (answer?: string) => void }>();
  private count = 0;

  get all(): readonly Question[] {
    return [...this.waiting.values()].map(({ question }) => question);
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Add a question. `answered` resolves to the chosen title, or undefined if it was withdrawn. */
  ask(message: string, answers: readonly string[]): { question: Question; answered: Promise<string | undefined> } {
    this.count += 1;
    const question = { id: `question-${this.count}`, message, answers };
    const answered = new Promise<string | undefined>((resolve) => this.waiting.set(question.id, { question, resolve }));
    this.changed.fire();
    return { question, answered };
  }

  /** Remove a question, with or without an answer. False if it is already gone. */
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

  /** The server is gone, and its questions with it. */
  clear(): void {
    this.all.forEach((question) => this.end(question));
  }
}
