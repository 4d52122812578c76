/** What the sample's file contains, what its agent proposes, and what the user is told, in the user's language. */
import * as vscode from 'vscode';
import { brief } from '../util/display';
import type { Change, Lesson, Result } from './turn';

/** The file at first, and the changes of it. */
export function script(): { text: string; changes: Change[] } {
  const greeting = vscode.l10n.t('Helo! Try what you like here.');
  const timeout = vscode.l10n.t('Timeout: 30 seconds');
  const warning = vscode.l10n.t('Do not upload files with passwords.');
  const otherwise = (words: string) => (reason: string) =>
    reason === '' ? words : vscode.l10n.t('You said: “{0}” {1}', brief(reason, 200), words);
  return {
    text: [`# ${vscode.l10n.t('Uploads')}`, '', greeting, '', `- ${timeout}`, `- ${vscode.l10n.t('Retries: 2')}`, '', warning, ''].join('\n'),
    changes: [
      {
        lesson: 'accept',
        before: greeting,
        after: vscode.l10n.t('Hello! Try what you like here.'),
        why: vscode.l10n.t('“Helo” is a typo.'),
        alternative: {
          after: vscode.l10n.t('Hi! Try what you like here.'),
          why: otherwise(vscode.l10n.t('So here is a shorter greeting.')),
        },
      },
      {
        lesson: 'amend',
        before: timeout,
        after: vscode.l10n.t('Timeout: 60 seconds'),
        why: vscode.l10n.t('Large files take longer than 30 seconds.'),
        alternative: {
          after: vscode.l10n.t('Timeout: 45 seconds'),
          why: otherwise(vscode.l10n.t('So here is a compromise.')),
        },
      },
      {
        lesson: 'reject',
        before: `${warning}\n`,
        after: '',
        why: vscode.l10n.t('Short texts are read more often.'),
        alternative: {
          after: `${vscode.l10n.t('Do not upload files with passwords: everybody can read them.')}\n`,
          why: otherwise(vscode.l10n.t('So the line stays, and gives its reason.')),
        },
      },
    ],
  };
}

/** What the user is told during the turn: what to try now, as the status bar may show only the beginning, and what became of the last proposal. */
export function told(last: Result | undefined, now: Lesson | 'alternative'): string {
  return [INSTRUCTIONS[now](), reactionTo(last)].filter((part) => part !== '').join(' ');
}

/** What became of the last proposal, for the user. */
export function reactionTo(last: Result | undefined): string {
  switch (last?.kind) {
    case 'accepted':
      return vscode.l10n.t('The last change is in the file.');
    case 'amended':
      return vscode.l10n.t('Your version is in the file, and the agent knows what you changed.');
    case 'rejected':
      return last.reason === ''
        ? vscode.l10n.t('The file is as it was. You gave no reason, so the agent has to guess.')
        : vscode.l10n.t('The file is as it was, and the agent has your reason.');
    case 'conflict':
      return vscode.l10n.t('The file changed in the meantime, so nothing was overwritten. The agent has read it again.');
    default:
      return '';
  }
}

const INSTRUCTIONS: Readonly<Record<Lesson | 'alternative', () => string>> = {
  accept: () =>
    vscode.l10n.t('Accept the agent’s change (1 of 4): press {0}, or Accept above the diff. {1} opens it from anywhere.', keys('Ctrl+Enter'), keys('Ctrl+K A')),
  amend: () => vscode.l10n.t('Amend the next one (2 of 4): press {0}, type another number on the right side, and accept.', keys('Ctrl+K A')),
  reject: () => vscode.l10n.t('Reject the next one (3 of 4): {0}, then {1}, and say why.', keys('Ctrl+K A'), keys('Ctrl+Shift+Backspace')),
  alternative: () => vscode.l10n.t('The agent proposes something else: press {0}, and accept or reject that.', keys('Ctrl+K A')),
  undo: () =>
    vscode.l10n.t('Undo a change (4 of 4): point at one under Landed in the agentfs view, and press Undo Change…. You review the undo, too.'),
};

/** A keyboard shortcut as it is on this machine. Extensions don't know the keyboard of a remote window. */
function keys(shortcut: string): string {
  const isMac = process.platform === 'darwin' && vscode.env.remoteName === undefined;
  return isMac ? shortcut.replace('Ctrl', 'Cmd') : shortcut;
}
