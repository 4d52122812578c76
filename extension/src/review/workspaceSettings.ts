/**
 * Settings by which a workspace may make texts unreadable: with colours, a font or sizes, and by whatever comes with a later VS
 * Code. So what is known to hide nothing is listed, and all else counts. Users may set what they like.
 */
import type * as vscode from 'vscode';

/** The beginnings of the names of settings of editors and diffs that hide nothing, and of those that are looked at by their value. */
const HARMLESS = new RegExp(
  `^(${[
    'accept|accessibility|auto|bracketPair|codeAction|codeLens|colorDecorators|comments|cursor|default|detect|diffAlgorithm',
    'drag|dropInto|emptySelection|find|fold|format|glyphMargin|goto|guides|hideUnchanged|hover|ignoreTrim|indentSize|inlay',
    'inline|insertSpaces|largeFile|lightbulb|lineNumbers|link|matchBrackets|minimap|multiCursor|occurrences|parameterHints',
    'paste|quick|rename|render|rulers|scroll|selection|semanticHighlighting|show|smooth|snippet|stickyScroll|stopRendering|suggest',
    'tab|trim|unfold|useInline|useTabStops|word|wrapping',
  ].join('|')})`,
);

/** Colours of what is drawn in an editor; those of tabs are none. */
const OF_EDITORS = /^(editor(?!Group)|diffEditor|multiDiffEditor)/;

/** The settings that a workspace or a folder makes, and that may make a text unreadable. */
export function hidingSettings(config: vscode.WorkspaceConfiguration): string[] {
  const ofEditors = ['editor', 'diffEditor'].flatMap((section) =>
    namesIn(config, section).filter((name) => !HARMLESS.test(name)).map((name) => `${section}.${name}`),
  );
  const colours = 'workbench.colorCustomizations';
  return namesIn(config, colours).some((name) => OF_EDITORS.test(name)) ? [...ofEditors, colours] : ofEditors;
}

/** What a workspace or a folder sets in a section, for all languages or for one; of themes what is in them. */
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
