import eslint from 'typescript-eslint';

export default eslint.config(
  { ignores: ['dist/', 'bundled/', 'node_modules/', 'test/'] },
  {
    files: ['src/**/*.ts'],
    extends: [eslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // node:test's own functions return promises that its runner waits for.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'describe', 'it'] }] },
      ],
      complexity: ['error', 12],
      'max-lines': ['error', 300],
    },
  },
);
