import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkspaceConfiguration } from 'vscode';
import { hidingSettings, settingsHidingQuestions } from '../../src/review/workspaceSettings';

/** What is found in a workspace that sets these sections. */
function found(sections: Record<string, Record<string, unknown>>, find = hidingSettings): string[] {
  const inspect = (key: string): object => ({ key, workspaceValue: sections[key] });
  return find({ inspect } as unknown as WorkspaceConfiguration, ['Default Dark Modern']);
}

test('settings that can cover or push out text are not harmless', () => {
  const hiding = ['scrollbar.verticalScrollbarSize', 'lineNumbersMinChars', 'cursorWidth', 'wordWrapOverride2', 'fontSize', 'rulers'];
  for (const name of hiding) {
    assert.deepEqual(found({ editor: { [name]: 1 } }), [`editor.${name}`]);
  }
  assert.deepEqual(found({ editor: { scrollBeyondLastLine: false, lineNumbers: 'off', cursorStyle: 'block', wordWrapColumn: 90 } }), []);
});

const foundIn = (colors: object): string[] => found({ workbench: { colorCustomizations: colors } });

test('a color may hide text unless it is known to be of another part of the window', () => {
  const hiding = ['scrollbarSlider.background', 'scrollbar.shadow', 'merge.border', 'editorLineNumber.foreground', 'diffEditor.border', 'foreground', 'new.color'];
  for (const name of hiding) {
    assert.deepEqual(foundIn({ [name]: '#fff' }), ['workbench.colorCustomizations'], name);
    assert.deepEqual(foundIn({ '[Default*]': { [name]: '#fff' } }), ['workbench.colorCustomizations'], name);
  }
  const harmless = ['titleBar.activeBackground', 'statusBarItem.hoverBackground', 'activityBarBadge.background', 'sash.hoverBorder', 'tab.activeBorder', 'editorGroup.border', 'commandCenter.border'];
  assert.deepEqual(foundIn(Object.fromEntries(harmless.map((name) => [name, '#fff']))), []);
});

test('colors of notifications, dialogs and views may hide a question; editors’ settings do not', () => {
  const hidingIn = (sections: Record<string, Record<string, unknown>>): string[] => found(sections, settingsHidingQuestions);
  const hiding = ['notifications.foreground', 'button.background', 'sideBar.foreground', 'list.hoverForeground', 'editorWidget.foreground', 'foreground'];
  for (const name of hiding) {
    assert.deepEqual(hidingIn({ workbench: { colorCustomizations: { [name]: '#fff' } } }), ['workbench.colorCustomizations'], name);
  }
  const harmless = { 'titleBar.activeBackground': '#fff', 'statusBar.background': '#fff', 'activityBar.background': '#fff' };
  assert.deepEqual(hidingIn({ workbench: { colorCustomizations: harmless }, editor: { fontSize: 1 } }), []);
  assert.deepEqual(hidingIn({ workbench: { colorTheme: 'Pale' }, window: { zoomLevel: -8 } }), ['window.zoomLevel', 'workbench.colorTheme']);
});

test('a theme may hide text unless it comes with VS Code, and so may the zoom of the window', () => {
  assert.deepEqual(found({ workbench: { colorTheme: 'Pale', preferredDarkColorTheme: 'Dim' }, window: { zoomLevel: -8, title: '' } }), [
    'window.zoomLevel',
    'workbench.colorTheme',
    'workbench.preferredDarkColorTheme',
  ]);
  assert.deepEqual(found({ workbench: { colorTheme: 'Default Dark Modern', startupEditor: 'none' } }), []);
});
