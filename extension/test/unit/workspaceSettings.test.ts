import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkspaceConfiguration } from 'vscode';
import { hidingSettings, settingsHidingQuestions } from '../../src/review/workspaceSettings';

type Sections = Record<string, Record<string, unknown>>;

const DEFAULTS: Sections = { workbench: { colorTheme: 'Dark 2026' } };

/** What is found in a workspace that sets these sections. `own`: what the user sets. */
function found(sections: Sections, find = hidingSettings, own: Sections = {}): string[] {
  const inspect = (key: string): object => ({ key, defaultValue: DEFAULTS[key], globalValue: own[key], workspaceValue: sections[key] });
  return find({ inspect } as unknown as WorkspaceConfiguration);
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
  const harmless = ['titleBar.activeBackground', 'statusBarItem.hoverBackground', 'activityBarBadge.background', 'sash.hoverBorder', 'tab.activeBorder', 'tab.inactiveForeground', 'editorGroup.border', 'commandCenter.border'];
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

test('another theme than the user’s may hide text, even one that comes with VS Code, and so may the zoom of the window', () => {
  const themes = { colorTheme: 'Abyss', preferredDarkColorTheme: 'Dim', startupEditor: 'none' };
  const window = { zoomLevel: -8, autoDetectColorScheme: true };
  const hiding = ['window.zoomLevel', 'window.autoDetectColorScheme', 'workbench.colorTheme', 'workbench.preferredDarkColorTheme'];
  for (const find of [hidingSettings, settingsHidingQuestions]) {
    assert.deepEqual(found({ workbench: themes, window }, find), hiding);
    assert.deepEqual(found({ workbench: themes }, find, { workbench: themes }), []);
    assert.deepEqual(found({ workbench: { colorTheme: 'Dark 2026' } }, find), []);
    assert.deepEqual(found({ workbench: { colorTheme: 'Dark 2026' } }, find, { workbench: themes }), ['workbench.colorTheme']);
  }
});

test('what can hide or forge the name of the file is not harmless, but hides no question', () => {
  const hiding: Sections = {
    'workbench.editor': { showTabs: 'none', customLabels: { patterns: { '**': 'README.txt' } }, tabSizing: 'fixed' },
    breadcrumbs: { enabled: false, filePath: 'off' },
    window: { title: 'README.txt', titleSeparator: ' ' },
    zenMode: { showTabs: 'none' },
  };
  const names = Object.entries(hiding).flatMap(([section, settings]) => Object.keys(settings).map((name) => `${section}.${name}`));
  assert.deepEqual(found(hiding), names);
  assert.deepEqual(found(hiding, settingsHidingQuestions), []);
  for (const color of ['tab.activeForeground', 'tab.unfocusedActiveBackground', 'breadcrumb.foreground', 'editorGroupHeader.noTabsBackground', 'list.warningForeground']) {
    assert.deepEqual(foundIn({ [color]: '#fff' }), ['workbench.colorCustomizations'], color);
  }
  const harmless = { 'workbench.editor': { enablePreview: false, labelFormat: 'short', limit: {} }, breadcrumbs: { icons: false }, window: { menuStyle: 'custom' } };
  assert.deepEqual(found({ ...harmless, zenMode: { fullScreen: false } }), []);
});
