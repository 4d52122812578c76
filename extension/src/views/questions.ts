/** Shows the server's questions in notifications and in the view, and passes on the answers. */
import * as vscode from 'vscode';
import { choose, showStatusMessage, notify, type Severity } from '../util/window';
import type { Question, Questions } from '../server/questions';

/** Show a question until it is answered, or `token` is cancelled. Returns the chosen title; undefined for none. */
export async function askUser(
  questions: Questions,
  severity: Severity,
  message: string,
  titles: readonly string[],
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const { question, answered } = questions.ask(message, titles);
  const over = token.onCancellationRequested(() => void questions.end(question));
  void notify(severity, message, ...titles).then((title) => answer(questions, question, title));
  try {
    return await answered;
  } finally {
    over.dispose();
  }
}

/** Show the question whose row was pressed. */
export async function showQuestion(questions: Questions, id: unknown): Promise<void> {
  const question = questions.all.find((one) => one.id === id);
  if (question === undefined) {
    showQuestionOver();
    return;
  }
  answer(questions, question, await choose(question.message, question.answers));
}

/** Dismissing the notification doesn't answer the question: it stays in the view. */
function answer(questions: Questions, question: Question, title: string | undefined): void {
  if (title !== undefined && !questions.end(question, title)) {
    showQuestionOver();
  }
}

function showQuestionOver(): void {
  showStatusMessage(vscode.l10n.t('This question has expired.'));
}
