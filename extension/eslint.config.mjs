import eslint from 'typescript-eslint';

// What VS Code shows of these it searches for links and icons first: text goes through util/window.ts and util/pick.ts.
const SAYING =
  '/^(show(Error|Warning|Information)Message|showInputBox|createInputBox|showQuickPick|createQuickPick|' +
  'setStatusBarMessage|createStatusBarItem|withProgress|MarkdownString)$/';
// The user's clock may be set at any time: what guards against hasty presses must not depend on it.
const NO_CLOCK = { object: 'Date', property: 'now', message: 'performance.now() tells how much time has passed.' };
const message = 'Only util/window.ts and util/pick.ts may call this: other people’s words become links and icons elsewhere.';

export default eslint.config(
  { ignores: ['dist/', 'bundled/', 'node_modules/'] },
  {
    files: ['src/**/*.ts', 'test/unit/**/*.ts'],
    extends: [eslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // node:test's own functions return promises that its runner waits for.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'describe', 'it'] }] },
      ],
      complexity: ['error', 12],
      'max-lines': ['error', 400],
      'no-restricted-properties': ['error', NO_CLOCK],
      'no-restricted-syntax': [
        'error',
        { selector: `Identifier[name=${SAYING}]`, message },
        { selector: `Literal[value=${SAYING}]`, message },
      ],
    },
  },
  {
    files: ['test/e2e/**/*.{js,mjs}', '*.mjs', 'scripts/*.mjs'],
    extends: [eslint.configs.recommended],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  { files: ['src/util/window.ts', 'src/util/pick.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['src/history/*.ts', 'src/views/checkpoints.ts', 'src/review/{drafts,draftFiles,fileSystem}.ts', 'test/**'],
    rules: { 'no-restricted-properties': 'off' }, // they tell when something was
  },
);
