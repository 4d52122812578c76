/** Lists from which the user picks a row. As in `window.ts`, what VS Code would take for links and icons is escaped. */
import * as vscode from 'vscode';
import { caughtUp } from './caughtUp';
import { withoutMarkup } from './display';
import { LastMoment } from './lastMoment';
import { LatestTask } from './latestTask';
import { listChanged, showStatusMessage } from './window';

export interface Choice<T> {
  /** Tells it from the others when the list changes; needed only there. */
  id?: string;
  value: T;
  label: string;
  detail?: string;
}

/** A button on a row. `icon`: the name of a VS Code icon. */
export interface RowButton<T> {
  icon: string;
  tooltip: string;
  press: (value: T) => Promise<void>;
}

/** A list from which one row is picked. `choices` are asked for again at each change, until there are none. */
export interface List<T> {
  title: string;
  placeHolder: string;
  choices: () => Promise<readonly Choice<T>[]>;
  onDidChange?: vscode.Event<void>;
  buttons?: (value: T) => readonly RowButton<T>[];
}

/** Show a list. Returns what was picked; undefined if it was dismissed, or became empty. */
export function pick<T>({ title, placeHolder, choices, onDidChange, buttons }: List<T>): Promise<T | undefined> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & Choice<T>>();
  list.title = withoutMarkup(title);
  list.placeholder = withoutMarkup(placeHolder);
  const buttonsOf = (value: T) => (buttons?.(value) ?? []).map(({ icon, ...button }) => ({ ...button, iconPath: new vscode.ThemeIcon(icon) }));
  /** A row has another place: a press may have been meant for the row that was there before. */
  const moved = new LastMoment(caughtUp);
  const fill = async (): Promise<void> => {
    const found = await choices();
    const chosen = list.activeItems[0]?.id;
    if (list.items.some(({ id }, place) => found[place]?.id !== id)) {
      void moved.note();
    }
    list.selectedItems = [];
    list.items = found.map(({ label, detail = '', ...of }) => ({
      ...of,
      label: withoutMarkup(label),
      detail: withoutMarkup(detail),
      buttons: buttonsOf(of.value),
    }));
    if (chosen !== undefined) {
      list.activeItems = list.items.filter(({ id }) => id === chosen);
    }
    if (found.length === 0) {
      list.hide();
    }
  };
  return new Promise((resolve, reject) => {
    const filling = new LatestTask(fill);
    const refill = (): void => void filling.run().catch(fail);
    const listener = onDidChange?.(refill);
    const fail = (error: Error): void => {
      reject(error);
      list.hide();
    };
    list.onDidTriggerItemButton(({ item, button }) => {
      if (moved.isRecent()) {
        showStatusMessage(listChanged());
      } else {
        void (button as unknown as RowButton<T>).press(item.value).then(refill, fail);
      }
    });
    list.onDidAccept(() => {
      if (moved.isRecent()) {
        list.selectedItems = []; // VS Code ignores a click on the row that is selected already
        showStatusMessage(listChanged());
      } else {
        resolve(list.selectedItems[0]?.value);
        list.hide();
      }
    });
    list.onDidHide(() => {
      resolve(undefined);
      listener?.dispose();
      list.dispose();
    });
    list.show();
    refill();
  });
}
