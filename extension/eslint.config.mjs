import eslint from 'typescript-eslint';

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
    },
  },
);
