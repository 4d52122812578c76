/**
 * Finds settings with which a workspace may make texts unreadable, such as colors, fonts or sizes. Lists what is known
 * to be harmless and reports the rest, which covers later versions of VS Code. Users may set what they like.
 */
import * as vscode from 'vscode';

/** How the names of harmless editor and diff settings begin, including those whose values are checked elsewhere. */
const HARMLESS = new RegExp(
  `^(${[
    'accept|accessibility|auto|bracketPair|codeAction|codeLens|colorDecorators|comments|cursor(?!Width)|default|detect|diffAlgorithm',
    'drag|dropInto|emptySelection|find|fold|format|glyphMargin|goto|guides|hideUnchanged|hover|ignoreTrim|indentSize|inlay',
    'inline|insertSpaces|largeFile|lightbulb|lineNumbers$|link|matchBrackets|minimap(?!\\.(maxColumn|scale|size))|multiCursor|occurrences|parameterHints',
    'paste|quick|rename|render|scroll(?!bar)|selection|semanticHighlighting|show|smooth|snippet|stickyScroll|stopRendering|suggest',
    'tab|trim|unfold|useInline|useTabStops|word(?!WrapOverride)|wrapping',
  ].join('|')})`,
);

/** How the names of colors begin that are drawn outside the text of editors, and the names of their files. */
const OUTSIDE = new RegExp(
  `^(${[
    'activityBar|badge|banner|button|charts|checkbox|commandCenter|debugToolBar|dropdown|editorGroup(?!Header\\.\\w*Background)|extension',
    'focusBorder$|gitDecoration|input|keybinding|list(?!\\.(error|warning)Foreground)|menu|notification|panel|pickerGroup|ports|profileBadge',
    'progressBar|quickInput|radio|sash|settings|sideBar|statusBar|tab\\.(inactive|\\w*[bB]order)|terminal|titleBar|toolbar|tree|welcomePage',
  ].join('|')})`,
);

/** How the names of those among them begin that are drawn in notifications, dialogs and the view of what waits. */
const OF_QUESTIONS = /^(badge|button|focusBorder$|list|notification|panel|sideBar|tree)/;

/** Themes make some texts unreadable, even some that come with VS Code. */
const THEME = /^(colorTheme|preferred\w+ColorTheme|autoDetectColorScheme)$/;

/** How the names of settings of editors' tabs begin that leave the names of files there. */
const OF_TABS = new RegExp(
  `^(${[
    'auto|centered|close|decorations|default|doubleClick|dragTo|editorActions|empty|enablePreview|focusRecent|highlight|history',
    'labelFormat|language|limit|mouse|navigation|open|pinnedTabsOn|prefer|prevent|restore|reveal|scroll|sharedView|showIcons|split',
    'swipe|tabAction|untitled|wrapTabs',
  ].join('|')})`,
);

/** Tells for each section which settings are harmless. `own`: the value that the user has. */
type Harmless = Record<string, (name: string, value: unknown, own: unknown) => boolean>;

/** Of the whole window. */
const inWindow = (isColorHarmless: (color: string) => boolean): Harmless => ({
  window: (name, value, own) => name !== 'zoomLevel' && (!THEME.test(name) || value === own),
  workbench: (name, value, own) =>
    name === 'colorCustomizations' ? within(value).every(([color]) => isColorHarmless(color)) : !THEME.test(name) || value === own,
});

const inEditors: Harmless = { editor: (name) => HARMLESS.test(name), diffEditor: (name) => HARMLESS.test(name) };

/** Where the window shows the name of the file under review. */
const inNames: Harmless = {
  'workbench.editor': (name) => OF_TABS.test(name),
  breadcrumbs: (name) => !/^(enabled|filePath)$/.test(name),
  window: (name) => !/^(commandCenter|customTitle|title)/.test(name),
  zenMode: (name) => name !== 'showTabs',
};

/** The settings of a workspace or folder that may make a text, or the name of its file, unreadable. */
export function hidingSettings(config: vscode.WorkspaceConfiguration): string[] {
  return harmful(config, { ...inEditors, ...inWindow((color) => OUTSIDE.test(color)) }, inNames);
}

/** The settings of a workspace that may make a question unreadable. */
export function settingsHidingQuestions(config: vscode.WorkspaceConfiguration): string[] {
  return harmful(config, inWindow((color) => OUTSIDE.test(color) && !OF_QUESTIONS.test(color)));
}

function harmful(config: vscode.WorkspaceConfiguration, ...parts: Harmless[]): string[] {
  const sections = parts.flatMap((part) => Object.entries(part));
  const hiding = sections.flatMap(([section, isKnown]) => {
    const found = config.inspect<Record<string, unknown>>(section);
    const own = { ...found?.defaultValue, ...found?.globalValue };
    const values = [found?.workspaceValue, found?.workspaceLanguageValue, found?.workspaceFolderValue, found?.workspaceFolderLanguageValue];
    return values.flatMap(within).filter(([name, value]) => !isKnown(name, value, own[name])).map(([name]) => `${section}.${name}`);
  });
  return [...new Set(hiding)];
}

/** The names and values in a setting or section, including those for one language or theme. */
function within(value: unknown): [string, unknown][] {
  const entries = Object.entries(value ?? {}) as [string, unknown][];
  return entries.flatMap(([name, inner]) => (name.startsWith('[') ? Object.entries(inner ?? {}) : [[name, inner]]));
}
