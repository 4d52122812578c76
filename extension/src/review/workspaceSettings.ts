/**
 * Finds settings with which a workspace may make texts unreadable, such as colours, fonts or sizes. Lists what is known
 * to be harmless and reports the rest, which covers later versions of VS Code. Users may set what they like.
 */
import type * as vscode from 'vscode';

/** How the names of harmless editor and diff settings begin, including those whose values are checked elsewhere. */
const HARMLESS = new RegExp(
  `^(${[
    'accept|accessibility|auto|bracketPair|codeAction|codeLens|colorDecorators|comments|cursor(?!Width)|default|detect|diffAlgorithm',
    'drag|dropInto|emptySelection|find|fold|format|glyphMargin|goto|guides|hideUnchanged|hover|ignoreTrim|indentSize|inlay',
    'inline|insertSpaces|largeFile|lightbulb|lineNumbers$|link|matchBrackets|minimap|multiCursor|occurrences|parameterHints',
    'paste|quick|rename|render|rulers|scroll(?!bar)|selection|semanticHighlighting|show|smooth|snippet|stickyScroll|stopRendering|suggest',
    'tab|trim|unfold|useInline|useTabStops|word(?!WrapOverride)|wrapping',
  ].join('|')})`,
);

/** How the names of colours begin that are drawn outside the text of editors. */
const OUTSIDE = new RegExp(
  `^(${[
    'activityBar|badge|banner|breadcrumb|button|charts|checkbox|commandCenter|debugToolBar|dropdown|editorGroup|extension',
    'focusBorder$|gitDecoration|input|keybinding|list|menu|notification|panel|pickerGroup|ports|profileBadge|progressBar',
    'quickInput|radio|sash|settings|sideBar|statusBar|tab\\.|terminal|titleBar|toolbar|tree|welcomePage',
  ].join('|')})`,
);

/** The settings of a workspace or folder that may make a text unreadable. */
export function hidingSettings(config: vscode.WorkspaceConfiguration): string[] {
  const ofEditors = ['editor', 'diffEditor'].flatMap((section) =>
    namesIn(config, section).filter((name) => !HARMLESS.test(name)).map((name) => `${section}.${name}`),
  );
  const colours = 'workbench.colorCustomizations';
  return namesIn(config, colours).every((name) => OUTSIDE.test(name)) ? ofEditors : [...ofEditors, colours];
}

/** The settings in a section that a workspace or folder sets, for all languages or one; for a theme those inside it. */
function namesIn(config: vscode.WorkspaceConfiguration, section: string): string[] {
  const found = config.inspect<unknown>(section);
  const set = [
    found?.workspaceValue,
    found?.workspaceLanguageValue,
    found?.workspaceFolderValue,
    found?.workspaceFolderLanguageValue,
  ];
  const entries = set.flatMap((value) => Object.entries(value ?? {}) as [string, unknown][]);
  const names = entries.flatMap(([name, value]) => (name.startsWith('[') ? Object.keys(value ?? {}) : [name]));
  return [...new Set(names)];
}
