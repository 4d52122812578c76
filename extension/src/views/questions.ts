/** Shows the server's questions, and takes their answers: by a notification, and from the row in the view. */
import * as vscode from 'vscode';
import { choose, showStatusMessage, notify, type Severity } from '../util/window';
import type { Question, Questions } from '../server/questions';

/** Show a question until it is answered or `token` says that it is over; the title chosen, undefined for none. */
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

/** The row of a question was pressed. */
export async function showQuestion(questions: Questions, id: unknown): Promise<void> {
  const question = questions.all.find((one) => one.id === id);
  if (question === undefined) {
    showQuestionOver();
    return;
  }
  answer(questions, question, await choose(question.message, question.answers));
}

/** Leaving a question does not answer it: it stays in the view. */
function answer(questions: Questions, question: Question, title: string | undefined): void {
  if (title !== undefined && !questions.end(question, title)) {
    showQuestionOver();
  }
}

function showQuestionOver(): void {
  showStatusMessage(vscode.l10n.t('This question has expired.'));
}
