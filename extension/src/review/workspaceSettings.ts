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
    'inline|insertSpaces|largeFile|lightbulb|lineNumbers$|link|matchBrackets|minimap|multiCursor|occurrences|parameterHints',
    'paste|quick|rename|render|scroll(?!bar)|selection|semanticHighlighting|show|smooth|snippet|stickyScroll|stopRendering|suggest',
    'tab|trim|unfold|useInline|useTabStops|word(?!WrapOverride)|wrapping',
  ].join('|')})`,
);

/** How the names of colors begin that are drawn outside the text of editors. */
const OUTSIDE = new RegExp(
  `^(${[
    'activityBar|badge|banner|breadcrumb|button|charts|checkbox|commandCenter|debugToolBar|dropdown|editorGroup|extension',
    'focusBorder$|gitDecoration|input|keybinding|list|menu|notification|panel|pickerGroup|ports|profileBadge|progressBar',
    'quickInput|radio|sash|settings|sideBar|statusBar|tab\\.|terminal|titleBar|toolbar|tree|welcomePage',
  ].join('|')})`,
);

/** How the names of those among them begin that are drawn in notifications, dialogs and the view of what waits. */
const OF_QUESTIONS = /^(badge|button|focusBorder$|list|notification|panel|sideBar|tree)/;

const THEME = /^(colorTheme|preferred\w+ColorTheme)$/;

type Harmless = Record<string, (name: string, value: unknown) => boolean>;

/** Tells which settings of the whole window are harmless. `themes`: those that come with VS Code. */
const inWindow = (themes: readonly unknown[], isColorHarmless: (color: string) => boolean): Harmless => ({
  window: (name) => name !== 'zoomLevel',
  workbench: (name, value) =>
    name === 'colorCustomizations' ? within(value).every(([color]) => isColorHarmless(color)) : !THEME.test(name) || themes.includes(value),
});

/** The settings of a workspace or folder that may make a text unreadable. */
export function hidingSettings(config: vscode.WorkspaceConfiguration, themes = shippedThemes()): string[] {
  const inEditors: Harmless = { editor: (name) => HARMLESS.test(name), diffEditor: (name) => HARMLESS.test(name) };
  return harmful(config, { ...inEditors, ...inWindow(themes, (color) => OUTSIDE.test(color)) });
}

/** The settings of a workspace that may make a question unreadable. */
export function settingsHidingQuestions(config: vscode.WorkspaceConfiguration, themes = shippedThemes()): string[] {
  return harmful(config, inWindow(themes, (color) => OUTSIDE.test(color) && !OF_QUESTIONS.test(color)));
}

function harmful(config: vscode.WorkspaceConfiguration, isHarmless: Harmless): string[] {
  const hiding = Object.entries(isHarmless).flatMap(([section, isKnown]) => {
    const found = config.inspect(section);
    const values = [found?.workspaceValue, found?.workspaceLanguageValue, found?.workspaceFolderValue, found?.workspaceFolderLanguageValue];
    return values.flatMap(within).filter(([name, value]) => !isKnown(name, value)).map(([name]) => `${section}.${name}`);
  });
  return [...new Set(hiding)];
}

/** The names and values in a setting or section, including those for one language or theme. */
function within(value: unknown): [string, unknown][] {
  const entries = Object.entries(value ?? {}) as [string, unknown][];
  return entries.flatMap(([name, inner]) => (name.startsWith('[') ? Object.entries(inner ?? {}) : [[name, inner]]));
}

/** Users may have installed other themes, which make some texts unreadable. */
function shippedThemes(): readonly unknown[] {
  const shipped = vscode.extensions.all.map(({ packageJSON }) => packageJSON as Manifest).filter(({ isBuiltin }) => isBuiltin);
  return shipped.flatMap(({ contributes }) => contributes?.themes ?? []).flatMap(({ id, label }) => [id, label]);
}

interface Manifest {
  isBuiltin?: boolean;
  contributes?: { themes?: { id?: string; label: string }[] };
}
