/** Shows the server's questions in notifications and in the view, and passes on the answers. */
import * as vscode from 'vscode';
import { ask, choose, showStatusMessage, type Severity } from '../util/window';
import type { PlainView } from '../review/plainView';
import { isQuestionOnScreen } from '../review/visibility';
import type { Question, Questions } from '../server/questions';

/** Show a question until it is answered, or `token` is cancelled. Returns the chosen title; undefined for none. */
export async function askUser(
  questions: Questions,
  plain: PlainView,
  severity: Severity,
  message: string,
  titles: readonly string[],
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const { question, answered } = questions.ask(message, titles);
  const over = token.onCancellationRequested(() => void questions.end(question));
  void put(questions, plain, question, () => ask(severity, message, ...titles));
  try {
    return await answered;
  } finally {
    over.dispose();
    plain.close(question.id);
  }
}

/** Show the question whose row was pressed. */
export async function showQuestion(questions: Questions, plain: PlainView, id: unknown): Promise<void> {
  const question = questions.all.find((one) => one.id === id);
  if (question === undefined) {
    showQuestionOver();
    return;
  }
  await put(questions, plain, question, () => choose(question.message, question.answers));
}

/**
 * Put a question with `show` until the user can have read what was answered. Dismissing it doesn't answer it: it stays
 * in the view.
 */
async function put(questions: Questions, plain: PlainView, question: Question, show: () => Promise<string | undefined>): Promise<void> {
  let title = await show();
  while (title !== undefined && questions.all.includes(question) && !isQuestionOnScreen(question, plain)) {
    title = await show();
  }
  if (title !== undefined && !questions.end(question, title)) {
    showQuestionOver();
  }
}

function showQuestionOver(): void {
  showStatusMessage(vscode.l10n.t('This question has expired.'));
}
