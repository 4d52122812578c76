import eslint from 'typescript-eslint';

// What VS Code shows of these it searches for links and icons first: text goes through notifications.ts.
const SAYING =
  '/^(show(Error|Warning|Information)Message|showInputBox|createInputBox|showQuickPick|createQuickPick|' +
  'setStatusBarMessage|createStatusBarItem|withProgress|MarkdownString)$/';
const message = 'Only notifications.ts may call it: other people’s words become links and icons elsewhere.';

export default eslint.config(
  { ignores: ['dist/', 'bundled/', 'node_modules/', 'test/'] },
  {
    files: ['src/**/*.ts'],
    extends: [eslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // node:test's own functions return promises that its runner waits for.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'describe', 'it'] }] },
      ],
      complexity: ['error', 12],
      'max-lines': ['error', 300],
      'no-restricted-syntax': [
        'error',
        { selector: `Identifier[name=${SAYING}]`, message },
        { selector: `Literal[value=${SAYING}]`, message },
      ],
    },
  },
  { files: ['src/notifications.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
